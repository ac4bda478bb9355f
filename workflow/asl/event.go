package asl

import "time"

// Event is one entry of an execution's history, in the shape that GetExecutionHistory
// gives it. The flags that say that nothing was truncated are left out.
// https://docs.aws.amazon.com/step-functions/latest/apireference/API_HistoryEvent.html
type Event struct {
	ID              int64     `json:"id"`
	PreviousEventID int64     `json:"previousEventId"`
	Timestamp       time.Time `json:"timestamp"`
	Type            string    `json:"type"`

	ExecutionStarted      *ExecutionStarted `json:"executionStartedEventDetails,omitempty"`
	ExecutionSucceeded    *Output           `json:"executionSucceededEventDetails,omitempty"`
	ExecutionFailed       *ErrorDetails     `json:"executionFailedEventDetails,omitempty"`
	ExecutionTimedOut     *ErrorDetails     `json:"executionTimedOutEventDetails,omitempty"`
	ExecutionAborted      *ErrorDetails     `json:"executionAbortedEventDetails,omitempty"`
	StateEntered          *StateEntered     `json:"stateEnteredEventDetails,omitempty"`
	StateExited           *StateExited      `json:"stateExitedEventDetails,omitempty"`
	TaskScheduled         *TaskScheduled    `json:"taskScheduledEventDetails,omitempty"`
	TaskStarted           *TaskDetails      `json:"taskStartedEventDetails,omitempty"`
	TaskSucceeded         *TaskDetails      `json:"taskSucceededEventDetails,omitempty"`
	TaskFailed            *TaskDetails      `json:"taskFailedEventDetails,omitempty"`
	TaskTimedOut          *TaskDetails      `json:"taskTimedOutEventDetails,omitempty"`
	MapStateStarted       *MapStarted       `json:"mapStateStartedEventDetails,omitempty"`
	MapIterationStarted   *Iteration        `json:"mapIterationStartedEventDetails,omitempty"`
	MapIterationSucceeded *Iteration        `json:"mapIterationSucceededEventDetails,omitempty"`
	MapIterationFailed    *Iteration        `json:"mapIterationFailedEventDetails,omitempty"`
	MapIterationAborted   *Iteration        `json:"mapIterationAbortedEventDetails,omitempty"`
}

// ExecutionStarted is what an execution began with.
type ExecutionStarted struct {
	Input string `json:"input"`
}

// Output is what an execution ended with.
type Output struct {
	Output string `json:"output"`
}

// ErrorDetails are the name and the cause of an error; either may be empty.
type ErrorDetails struct {
	Error string `json:"error,omitempty"`
	Cause string `json:"cause,omitempty"`
}

// StateEntered is a state and its input.
type StateEntered struct {
	Name  string `json:"name"`
	Input string `json:"input"`
}

// StateExited is a state and its output.
type StateExited struct {
	Name   string `json:"name"`
	Output string `json:"output"`
}

// TaskScheduled is what a task was asked. Parameters is JSON.
type TaskScheduled struct {
	ResourceType     string `json:"resourceType"`
	Resource         string `json:"resource"`
	Region           string `json:"region,omitempty"`
	Parameters       string `json:"parameters"`
	TimeoutInSeconds int64  `json:"timeoutInSeconds,omitempty"`
}

// TaskDetails tell how a task began or ended.
type TaskDetails struct {
	ResourceType string `json:"resourceType"`
	Resource     string `json:"resource"`
	Output       string `json:"output,omitempty"`
	Error        string `json:"error,omitempty"`
	Cause        string `json:"cause,omitempty"`
}

// MapStarted is how many iterations a Map has.
type MapStarted struct {
	Length int `json:"length"`
}

// Iteration is one iteration of the Map of that name.
type Iteration struct {
	Name  string `json:"name"`
	Index int    `json:"index"`
}
