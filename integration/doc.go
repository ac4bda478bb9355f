// Package integration holds whole runs over the wire: the binary as a user runs
// it, the SDK as it is, and a server that answers like AWS. It also holds the
// rules of who may import whom, as a test.
//
// The server is moto, started here from the repository's .venv, which `make
// test` sets up, or whatever answers at SIDESTEP_ENDPOINT. A wire test names the
// services it needs; where the server lacks one, the test counts as not run.
// What moto does otherwise than AWS is in moto.md.
//
//	main_test.go     TestMain: the servers, the summary
//	world_test.go    newWorld: an AWS account of its own for each test
//	seed*_test.go    seed: a VPC, subnets, groups, services, functions
//	fleet_test.go    an account's worth of each
//	observe_test.go  observe: what is there, seen by another client (boto3)
//	process_test.go  run: the binary, its output, its end, SIGKILL
//	proxy.go         counts requests, crashes the client at the nth mutation, answers
//	                 in the server's place
//	closed_test.go   what must be there, and have been asked for, after an evacuation
package integration
