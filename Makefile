# `make` lists the targets. Nothing here needs more than Go, Python 3.11 (for the
# tests' stand-in for AWS) and, for the race detector, a C compiler.

# One toolchain for everyone: its standard library has the fixes govulncheck asks
# for. The go command fetches it where another one is installed.
export GOTOOLCHAIN := go1.27.3
# A checkout that belongs to another user, as in a container, has no readable VCS.
export GOFLAGS := $(strip $(filter-out -buildvcs=%,$(GOFLAGS)) -buildvcs=false)

# Tools are pinned, kept outside the tree so that a fresh clone finds them, and built
# by the toolchain whose code they read.
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/sidestep
LINT := $(CACHE)/tools/golangci-lint-v2.15.0-$(GOTOOLCHAIN)/golangci-lint
GOVULNCHECK := $(CACHE)/tools/govulncheck-v1.9.0-$(GOTOOLCHAIN)/govulncheck

# Known vulnerabilities, as of a pinned day: a check must not turn red overnight
# without a commit. For what is known today: make vulns VULNDB=https://vuln.go.dev
VULNDB_VERSION := v0.0.0-20261105234957-e22db6528018
VULNDB_SNAPSHOT := $(CACHE)/vulndb/$(VULNDB_VERSION)
VULNDB := file://$(VULNDB_SNAPSHOT)

# The race detector needs cgo, and cgo a C compiler.
RACE := $(if $(shell command -v $$(go env CC)),-race)

.PHONY: help build run test unit integration check format vet imports lint vulns bench

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

build: ## Build bin/sidestep, a static binary
	CGO_ENABLED=0 go build -trimpath -o bin/sidestep ./cmd/sidestep

run: build ## Build, then evacuate a region in memory (ARGS="--seed 7 ...")
	bin/sidestep drill $(ARGS)

test: unit integration ## Run all tests

unit: ## Run the tests that need nothing but Go, with the race detector
	@$(if $(RACE),,echo "No C compiler: these tests run WITHOUT the race detector.")
	go test $(RACE) -short -timeout 20m $$(go list ./... | grep -v '/integration$$')
	go test -timeout 20m ./integration/matrix # every point, which the race detector would take six times as long for

# In its own folder go test shows the closing line that says what did not run.
integration: .venv/ready ## Run the wire tests against ENDPOINT=http://..., or against a server of their own
	cd integration && SIDESTEP_ENDPOINT=$(ENDPOINT) go test $(RACE) -timeout 20m -count=1 -parallel 8 # most of them wait for a lease or for the server

check: format vet imports lint vulns ## Run all checks that are not tests

format: ## Check that gofmt has nothing to say
	@out=$$(gofmt -l cmd $(wildcard functions infra workflow) integration pkg scripts); \
	if [ -n "$$out" ]; then echo "gofmt -w these:"; echo "$$out"; exit 1; fi

vet:
	go vet ./...

imports: ## Check who imports whom
	go test -count=1 -run '^TestImports$$' ./integration

# Limits without waivers are limits. A waiver of any other linter says why.
lint: $(LINT) ## Run golangci-lint
	@if grep -rnE --include='*.go' 'nolint:[a-z,]*(cyclop|funlen)' cmd pkg integration scripts; then \
		echo "split the function instead"; exit 1; fi
	$(LINT) run ./...

vulns: $(GOVULNCHECK) $(if $(findstring $(VULNDB_SNAPSHOT),$(VULNDB)),$(VULNDB_SNAPSHOT)) ## Look for known vulnerabilities in code that is reached
	$(GOVULNCHECK) -db $(VULNDB) ./...

bench: ## Measure speed: 1,000 groups, services and functions, as ratios to their bounds
	go test -run '^$$' -bench . -benchtime 1x ./cmd/sidestep

.venv/ready: requirements.txt scripts/venv
	scripts/venv .venv requirements.txt
	touch $@

$(LINT):
	GOBIN=$(@D) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

$(GOVULNCHECK):
	GOBIN=$(@D) go install golang.org/x/vuln/cmd/govulncheck@v1.9.0

$(VULNDB_SNAPSHOT):
	scripts/vulndb/snapshot $(VULNDB_VERSION) $@
