package asl_test

import (
	"strings"
	"testing"

	"sidestep/workflow/asl"
)

const (
	end     = `"End": true`
	succeed = `{"Type": "Succeed"}`
	pass    = `{"Type": "Pass", "End": true}`
)

func wait(fields string) string { return machine(`"S": {"Type": "Wait", "End": true, ` + fields + `}`) }

func one(state string) string { return machine(`"S": ` + state) }

func retry(fields string) string { return one(task(end, `"Retry": [{`+fields+`}]`)) }

func choice(rule string) string {
	return machine(`"S": {"Type": "Choice", "Default": "E", "Choices": [{"Next": "E", ` + rule + `}]}, "E": ` + succeed)
}

func mapOf(fields string) string {
	return one(`{"Type": "Map", "End": true, "ItemProcessor": {"StartAt": "I", "States": {"I": ` + pass + `}}, ` + fields + `}`)
}

func TestWhatIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ definition, problem string }{
		"not JSON":            {`{`, "reading the definition"},
		"more":                {one(pass) + "{}", "more follows"},
		"not an object":       {`[]`, "[] is not an object"},
		"no query language":   {`{"StartAt": "S", "States": {"S": ` + pass + `}}`, "QueryLanguage: it is missing"},
		"JSONata":             {`{"QueryLanguage": "JSONata", "StartAt": "S", "States": {"S": ` + pass + `}}`, `QueryLanguage: "JSONata" is not JSONPath`},
		"unknown field":       {one(`{"Type": "Pass", "End": true, "Assign": {}}`), "States.S.Assign: a Pass state has no such field here"},
		"field twice":         {one(`{"Type": "Pass", "End": true, "End": true}`), "States.S.End: given twice"},
		"unknown kind":        {one(`{"Type": "Jump"}`), `States.S.Type: "Jump" is not one of Choice, Fail, Map, Parallel, Pass, Succeed, Task, Wait`},
		"no kind":             {one(`{}`), "States.S.Type: it is missing"},
		"no states":           {machine(``), "States: {} is not an object with something in it"},
		"no such start":       {machine(`"T": ` + pass), `StartAt: there is no state "S" here`},
		"no such next":        {one(`{"Type": "Pass", "Next": "T"}`), `States.S: it leads to "T", and there is no such state here`},
		"no such default":     {machine(`"S": {"Type": "Choice", "Default": "T", "Choices": [{"Variable": "$.a", "IsNull": true, "Next": "E"}]}, "E": ` + succeed), `States.S: it leads to "T"`},
		"no such catch":       {one(task(end, `"Catch": [{"ErrorEquals": ["A"], "Next": "T"}]`)), `States.S: it leads to "T"`},
		"next and end":        {one(`{"Type": "Pass", "Next": "S", "End": true}`), "States.S.End: it is given together with Next"},
		"neither":             {one(`{"Type": "Pass"}`), "States.S.Next: neither it nor End is given"},
		"end is false":        {one(`{"Type": "Pass", "End": false}`), "States.S.End: false is not true"},
		"unreachable":         {machine(`"S": ` + pass + `, "T": ` + pass), "States.T: nothing leads to it"},
		"no end":              {machine(`"S": {"Type": "Pass", "Next": "T"}, "T": {"Type": "Pass", "Next": "S"}`), "States.S: no way leads from it to an end"},
		"same name inside":    {one(`{"Type": "Parallel", "End": true, "Branches": [{"StartAt": "S", "States": {"S": ` + pass + `}}]}`), "States.S.Branches[0].States.S: States.S has this name already"},
		"long name":           {`{"QueryLanguage": "JSONPath", "StartAt": "x", "States": {"` + strings.Repeat("x", 81) + `": ` + pass + `}}`, "1 to 80 characters"},
		"version":             {`{"Version": "2.0", "QueryLanguage": "JSONPath", "StartAt": "S", "States": {"S": ` + pass + `}}`, `Version: "2.0" is not 1.0`},
		"filter":              {one(`{"Type": "Pass", "End": true, "InputPath": "$.a[?(@.b)]"}`), `States.S.InputPath: "$.a[?(@.b)]" is not a whole path`},
		"index":               {one(`{"Type": "Pass", "End": true, "OutputPath": "$.a[0]"}`), "States.S.OutputPath"},
		"path is a number":    {one(`{"Type": "Pass", "End": true, "ResultPath": 1}`), "States.S.ResultPath: 1 is not a path"},
		"intrinsic":           {one(`{"Type": "Pass", "End": true, "Parameters": {"a.$": "States.UUID()"}}`), `States.S.Parameters.a.$: "States.UUID()" is not a whole path`},
		"context":             {one(`{"Type": "Pass", "End": true, "Parameters": {"a": [{"b.$": "$$.State.Name"}]}}`), `States.S.Parameters.a[0].b.$: "$$.State.Name" is not one of`},
		"item outside a map":  {one(`{"Type": "Pass", "End": true, "Parameters": {"a.$": "$$.Map.Item.Value"}}`), "within a Map only"},
		"retries in a pass":   {one(`{"Type": "Pass", "End": true, "Parameters": {"a.$": "$$.State.RetryCount"}}`), "Task, Map or Parallel state only"},
		"path is no string":   {one(`{"Type": "Pass", "End": true, "Parameters": {"a.$": 1}}`), "States.S.Parameters.a.$: 1 is not a path"},
		"value and path":      {one(`{"Type": "Pass", "End": true, "Parameters": {"a": 1, "a.$": "$"}}`), "a is given both as a value and as a path"},
		"parameters":          {one(`{"Type": "Pass", "End": true, "Parameters": 1}`), "States.S.Parameters: 1 is not an object"},
		"fail goes on":        {one(`{"Type": "Fail", "End": true}`), "States.S.End: a Fail state has no such field here"},
		"two errors":          {one(`{"Type": "Fail", "Error": "A", "ErrorPath": "$.a"}`), "States.S.Error: it is given together with ErrorPath"},
		"resource":            {one(`{"Type": "Task", "End": true, "Resource": "arn:aws:states:::sqs:sendMessage", "Parameters": {"FunctionName": "${F}", "Payload": 1}}`), "States.S.Resource"},
		"sync":                {one(`{"Type": "Task", "End": true, "Resource": "arn:aws:states:::lambda:invoke.waitForTaskToken", "Parameters": {"FunctionName": "${F}", "Payload": 1}}`), "States.S.Resource"},
		"function":            {one(`{"Type": "Task", "End": true, "Resource": "arn:aws:states:::lambda:invoke", "Parameters": {"FunctionName": "f", "Payload": 1}}`), `States.S.Parameters.FunctionName: "f" is not ${Name}`},
		"no payload":          {one(`{"Type": "Task", "End": true, "Resource": "arn:aws:states:::lambda:invoke", "Parameters": {"FunctionName": "${F}"}}`), "States.S.Parameters.Payload"},
		"qualifier":           {one(`{"Type": "Task", "End": true, "Resource": "arn:aws:states:::lambda:invoke", "Parameters": {"FunctionName": "${F}", "Payload": 1, "Qualifier": "2"}}`), "States.S.Parameters.Qualifier: lambda:invoke has no such field here"},
		"heartbeat":           {one(task(end, `"HeartbeatSeconds": 5`)), "States.S.HeartbeatSeconds: a Task state"},
		"timeout path":        {one(task(end, `"TimeoutSecondsPath": "$.a"`)), "States.S.TimeoutSecondsPath"},
		"timeout 0":           {one(task(end, `"TimeoutSeconds": 0`)), "States.S.TimeoutSeconds: 0 is not a whole number from 1"},
		"timeout 1.5":         {one(task(end, `"TimeoutSeconds": 1.5`)), "States.S.TimeoutSeconds: 1.5 is not a whole number"},
		"jitter":              {retry(`"ErrorEquals": ["A"], "JitterStrategy": "SOME"`), `States.S.Retry[0].JitterStrategy: "SOME" is not FULL or NONE`},
		"interval":            {retry(`"ErrorEquals": ["A"], "IntervalSeconds": 0`), "States.S.Retry[0].IntervalSeconds"},
		"attempts":            {retry(`"ErrorEquals": ["A"], "MaxAttempts": -1`), "States.S.Retry[0].MaxAttempts"},
		"backoff":             {retry(`"ErrorEquals": ["A"], "BackoffRate": 0.5`), "States.S.Retry[0].BackoffRate: 0.5 is not a number of at least 1"},
		"short delay":         {retry(`"ErrorEquals": ["A"], "IntervalSeconds": 5, "MaxDelaySeconds": 5`), "States.S.Retry[0].MaxDelaySeconds: 5 is not greater than IntervalSeconds, 5"},
		"long delay":          {retry(`"ErrorEquals": ["A"], "MaxDelaySeconds": 31622401`), "States.S.Retry[0].MaxDelaySeconds"},
		"retrier field":       {retry(`"ErrorEquals": ["A"], "Delay": 1`), "States.S.Retry[0].Delay: a retrier has no such field here"},
		"no errors":           {retry(`"ErrorEquals": []`), "States.S.Retry[0].ErrorEquals: [] is not an array with something in it"},
		"empty error":         {retry(`"ErrorEquals": [""]`), `States.S.Retry[0].ErrorEquals[0]: "" is not the name of an error`},
		"all not alone":       {retry(`"ErrorEquals": ["A", "States.ALL"]`), "States.S.Retry[0].ErrorEquals: States.ALL stands alone"},
		"all not last":        {retry(`"ErrorEquals": ["States.ALL"]}, {"ErrorEquals": ["A"]`), "States.S.Retry[0].ErrorEquals: States.ALL belongs in the last entry"},
		"runtime":             {retry(`"ErrorEquals": ["States.Runtime"]`), "States.S.Retry[0].ErrorEquals[0]: States.Runtime ends an execution and cannot be caught"},
		"never raised":        {retry(`"ErrorEquals": ["States.BranchFailed"]`), `"States.BranchFailed" is not one of`},
		"no seconds":          {wait(`"Comment": "x"`), "States.S.Seconds: a Wait state has one of"},
		"two times":           {wait(`"Seconds": 1, "SecondsPath": "$.a"`), "this one has 2"},
		"negative":            {wait(`"Seconds": -1`), "States.S.Seconds: -1 is not a whole number from 0"},
		"no T":                {wait(`"Timestamp": "2026-01-31 12:00:00Z"`), "States.S.Timestamp"},
		"no zone":             {wait(`"Timestamp": "2026-01-31T12:00:00"`), "States.S.Timestamp"},
		"no choices":          {machine(`"S": {"Type": "Choice", "Default": "E"}, "E": ` + succeed), "States.S.Choices: it is missing"},
		"choice ends":         {machine(`"S": {"Type": "Choice", "End": true, "Default": "E", "Choices": [{"Variable": "$", "IsNull": true, "Next": "E"}]}, "E": ` + succeed), "States.S.End: a Choice state has no such field here"},
		"operator":            {choice(`"Variable": "$.a", "StringMatches": "*"`), "States.S.Choices[0].StringMatches: a choice rule has no such field here"},
		"two operators":       {choice(`"Variable": "$.a", "IsNull": true, "IsPresent": true`), "this one has 2: IsNull, IsPresent"},
		"string for a number": {choice(`"Variable": "$.a", "NumericEquals": "1"`), `States.S.Choices[0].NumericEquals: "1" is nothing that it can compare with`},
		"number for a string": {choice(`"Variable": "$.a", "StringEquals": 1`), "States.S.Choices[0].StringEquals"},
		"no variable":         {choice(`"IsNull": true`), "States.S.Choices[0].Variable: it is missing"},
		"next within":         {choice(`"Not": {"Variable": "$.a", "IsNull": true, "Next": "E"}`), "States.S.Choices[0].Not.Next: a condition has no such field here"},
		"empty and":           {choice(`"And": []`), "States.S.Choices[0].And"},
		"concurrency 0":       {mapOf(`"MaxConcurrency": 0`), "States.S.MaxConcurrency: 0 is not a whole number from 1 to 40"},
		"concurrency 41":      {mapOf(`"MaxConcurrency": 41`), "States.S.MaxConcurrency: 41 is not a whole number from 1 to 40"},
		"no concurrency":      {mapOf(`"Comment": "x"`), "States.S.MaxConcurrency: give either it or MaxConcurrencyPath"},
		"two concurrencies":   {mapOf(`"MaxConcurrency": 1, "MaxConcurrencyPath": "$.n"`), "States.S.MaxConcurrency: give either"},
		"tolerance":           {mapOf(`"MaxConcurrency": 1, "ToleratedFailureCount": 1`), "States.S.ToleratedFailureCount: a Map state"},
		"distributed":         {one(`{"Type": "Map", "End": true, "MaxConcurrency": 1, "ItemProcessor": {"ProcessorConfig": {"Mode": "DISTRIBUTED"}, "StartAt": "I", "States": {"I": ` + pass + `}}}`), `States.S.ItemProcessor.ProcessorConfig.Mode: "DISTRIBUTED" is not INLINE`},
		"iterator":            {one(`{"Type": "Map", "End": true, "MaxConcurrency": 1, "Iterator": {}}`), "States.S.ItemProcessor: it is missing"},
		"no branches":         {one(`{"Type": "Parallel", "End": true}`), "States.S.Branches: it is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := asl.Load([]byte(c.definition))
			if err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("got %v\nwant %s", err, c.problem)
			}
		})
	}
}

func TestEveryProblemIsTold(t *testing.T) {
	_, err := asl.Load([]byte(retry(`"ErrorEquals": ["A"], "MaxAttempts": -1, "JitterStrategy": "SOME"`)))
	if err == nil || len(strings.Split(err.Error(), "\n")) != 2 {
		t.Errorf("got %v, want two problems", err)
	}
}

func TestDefinitionMayBeOneMebibyte(t *testing.T) {
	if _, err := asl.Load(make([]byte, asl.MaxDefinition+1)); err == nil || !strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("got %v", err)
	}
}

func TestFunctionsAreListed(t *testing.T) {
	m := load(t, machine(`"S": `+task(`"Next": "T"`)+`, "T": `+strings.Replace(task(end), "${F}", "${A}", 1)))
	if got := strings.Join(m.Functions(), " "); got != "A F" {
		t.Errorf("functions %q", got)
	}
}
