package asl

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Names of errors that Step Functions itself gives, see
// https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html.
const (
	// All matches every name but Runtime. The documentation says the same of
	// DataLimitExceeded, but executions have caught that.
	All = "States.ALL"
	// TaskFailed matches every name but Timeout and Runtime. It is also the name of
	// an error that has none.
	TaskFailed = "States.TaskFailed"
	// Timeout is a task, or an execution, that took longer than its TimeoutSeconds.
	Timeout = "States.Timeout"
	// Runtime is a document that does not fit the definition. It ends the execution
	// and is neither retried nor caught.
	Runtime = "States.Runtime"
	// DataLimitExceeded is an input or output of more than MaxPayload bytes.
	DataLimitExceeded = "States.DataLimitExceeded"
	// NoChoiceMatched is a Choice without Default whose rules all failed.
	NoChoiceMatched = "States.NoChoiceMatched"
	// ResultPathMatchFailure is a ResultPath that leads through something that is
	// not an object.
	ResultPathMatchFailure = "States.ResultPathMatchFailure"
)

// StepError is how an Invoker tells that a function failed. Retry and Catch match the
// name, so it must be the one that Step Functions would see.
type StepError struct {
	Name  string
	Cause string
}

func (e *StepError) Error() string { return e.Name + ": " + e.Cause }

// FunctionError is the error of a function that returned one: its name is Lambda's
// errorType, its cause the payload that Lambda answers with, which Step Functions
// takes as it is.
// https://docs.aws.amazon.com/lambda/latest/dg/golang-exceptions.html
func FunctionError(errorType, errorMessage string) *StepError {
	payload := struct {
		Message string `json:"errorMessage"`
		Type    string `json:"errorType"`
	}{errorMessage, errorType}
	cause, _ := json.Marshal(payload) // strings always can be
	return &StepError{Name: errorType, Cause: string(cause)}
}

// failure is an error that a state ended with. Its name may be empty, as a Fail state
// need not give one.
type failure struct {
	name  string
	cause string
	inner bool // it came from an iteration or a branch
}

func (f *failure) Error() string { return f.name + ": " + f.cause }

// errStopped ends a branch whose execution, or whose Map or Parallel, goes on no more.
// Who stopped it knows why.
var errStopped = errors.New("stopped")

// failureOf is the failure that an Invoker's error means. An error without a name is
// given the one that stands for any.
func failureOf(err error) *failure {
	var step *StepError
	if !errors.As(err, &step) {
		return &failure{name: TaskFailed, cause: err.Error()}
	}
	if step.Name == "" {
		return &failure{name: TaskFailed, cause: step.Cause}
	}
	return &failure{name: step.Name, cause: step.Cause}
}

func tooLarge(of string) *failure {
	return &failure{
		name:  DataLimitExceeded,
		cause: fmt.Sprintf("%s has a size exceeding the maximum number of bytes service limit (%d).", of, MaxPayload),
	}
}

// matches says whether an ErrorEquals means a name.
func matches(errorEquals []string, name string) bool {
	if name == Runtime {
		return false
	}
	return slices.ContainsFunc(errorEquals, func(e string) bool {
		return e == name || e == All || e == TaskFailed && name != Timeout
	})
}
