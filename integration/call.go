package integration

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
)

// call is one request that arrived at the proxy.
type call struct {
	Service   string // as it is signed: "autoscaling"
	Operation string // "UpdateAutoScalingGroup"; method and path of a REST call
	Body      string
	Mutating  bool
	N         int  // counts the mutating ones from 1; 0 for a read
	Passed    bool // the server has seen it
	Status    int  // what the server answered
}

// reads are how the names of operations begin that change nothing.
var reads = []string{"Describe", "Get", "List", "BatchGet", "Query", "Scan", "TransactGet", "AssumeRole", "Simulate"}

// classify says what a request asks for, in each of the protocols AWS speaks. What
// it does not know counts as mutating.
func classify(r *http.Request, body []byte) call {
	c := call{Service: service(r.Header.Get("Authorization"))}
	if target := r.Header.Get("X-Amz-Target"); target != "" { // JSON
		c.Operation = target[strings.LastIndex(target, ".")+1:]
	} else if _, op, found := strings.Cut(r.URL.Path, "/operation/"); found { // CBOR
		c.Operation = op
	} else if action := action(r, body); action != "" { // Query
		c.Operation = action
	} else { // REST
		c.Operation = r.Method + " " + r.URL.Path
		c.Mutating = r.Method != http.MethodGet && r.Method != http.MethodHead
		return c
	}
	c.Mutating = !slices.ContainsFunc(reads, func(p string) bool { return strings.HasPrefix(c.Operation, p) })
	return c
}

func action(r *http.Request, body []byte) string {
	if a := r.URL.Query().Get("Action"); a != "" {
		return a
	}
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		return ""
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return ""
	}
	return form.Get("Action")
}

// service reads the service from the scope of a signature:
// Credential=<key>/<date>/<region>/<service>/aws4_request.
func service(authorization string) string {
	_, scope, _ := strings.Cut(authorization, "Credential=")
	scope, _, _ = strings.Cut(scope, ",")
	parts := strings.Split(scope, "/")
	if len(parts) < 5 {
		return ""
	}
	return parts[len(parts)-2]
}

// configures is the ECS service ("cluster/name") or the Lambda function whose
// configuration the call changes, nothing for any other call.
func (c call) configures() string {
	if c.Service == "ecs" && c.Operation == "UpdateService" {
		return c.services()[0]
	}
	name, isFunction := strings.CutPrefix(c.Operation, "PUT /2015-03-31/functions/")
	name, isConfiguration := strings.CutSuffix(name, "/configuration")
	if c.Service != "lambda" || !isFunction || !isConfiguration {
		return ""
	}
	if _, short, isARN := strings.Cut(name, ":function:"); isARN {
		return short
	}
	return name
}

// services are the ECS services that a call names, one or many.
func (c call) services() []string {
	var in struct {
		Cluster, Service string
		Services         []string
	}
	// What cannot be read names a service that no test has, and is seen by that.
	if json.Unmarshal([]byte(c.Body), &in) != nil || len(in.Services) == 0 {
		in.Services = []string{in.Service}
	}
	names := make([]string, len(in.Services))
	for i, s := range in.Services {
		names[i] = path.Base(in.Cluster) + "/" + path.Base(s)
	}
	return names
}

// redeploys says whether the call has ECS replace all tasks of a service.
func (c call) redeploys() bool {
	return c.Service == "ecs" && c.Operation == "UpdateService" && strings.Contains(c.Body, `"networkConfiguration"`)
}
