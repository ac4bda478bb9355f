package asl

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// retrier is one entry of Retry.
// https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html#error-handling-retrying-after-an-error
type retrier struct {
	errorEquals []string
	interval    int
	maxAttempts int
	maxDelay    int // 0 for none
	backoff     float64
	jitter      bool
}

// catcher is one entry of Catch.
type catcher struct {
	errorEquals []string
	next        string
	resultPath  path
}

// longestDelay is the largest MaxDelaySeconds: 366 days, more than an execution lasts.
const longestDelay = 31_622_400

func readRetrier(f *fields) retrier {
	r := retrier{
		errorEquals: readErrors(f),
		interval:    f.whole("IntervalSeconds", 1, longest, 1),
		maxAttempts: f.whole("MaxAttempts", 0, longest, 3),
		maxDelay:    f.whole("MaxDelaySeconds", 1, longestDelay, 0),
		backoff:     2,
		jitter:      f.oneOf("JitterStrategy", "FULL", "NONE") == "FULL",
	}
	if v, ok := f.get("BackoffRate"); ok {
		rate, isNumber := toNumber(v)
		if !isNumber || rate < 1 {
			f.refuse("BackoffRate", "%s is not a number of at least 1", show(v))
		}
		r.backoff = rate
	}
	if r.maxDelay != 0 && r.maxDelay <= r.interval {
		f.refuse("MaxDelaySeconds", "%d is not greater than IntervalSeconds, %d", r.maxDelay, r.interval)
	}
	return r
}

func readCatcher(f *fields) catcher {
	return catcher{
		errorEquals: readErrors(f),
		next:        f.mustText("Next"),
		resultPath:  f.path("ResultPath", true),
	}
}

// readErrors reads ErrorEquals. Of the names that begin with States. it lets pass
// those that can be raised here and caught on AWS.
func readErrors(f *fields) []string {
	known := []string{All, TaskFailed, Timeout, DataLimitExceeded, NoChoiceMatched, ResultPathMatchFailure}
	var names []string
	for i, v := range f.list("ErrorEquals") {
		place := fmt.Sprintf("ErrorEquals[%d]", i)
		name, ok := v.(string)
		switch {
		case !ok || name == "":
			f.refuse(place, "%s is not the name of an error", show(v))
		case name == Runtime:
			f.refuse(place, "%s ends an execution and cannot be caught", Runtime)
		case strings.HasPrefix(name, "States.") && !slices.Contains(known, name):
			f.refuse(place, "%q is not one of %s", name, strings.Join(known, ", "))
		}
		names = append(names, name)
	}
	if len(names) > 1 && slices.Contains(names, All) {
		f.refuse("ErrorEquals", "%s stands alone", All)
	}
	return names
}

// checkOrder wants States.ALL in the last entry, as what follows it is never reached.
func checkOrder(f *fields, key string, n int, errorEquals func(int) []string) {
	for i := range n - 1 {
		if slices.Contains(errorEquals(i), All) {
			f.refuse(fmt.Sprintf("%s[%d].ErrorEquals", key, i), "%s belongs in the last entry", All)
		}
	}
}

// delay is how long to wait before a retry, when the retrier has made some before.
func (r *retrier) delay(before int) time.Duration {
	most := float64(longestDelay)
	if r.maxDelay > 0 {
		most = float64(r.maxDelay)
	}
	seconds := min(float64(r.interval)*math.Pow(r.backoff, float64(before)), most)
	return time.Duration(seconds * float64(time.Second))
}

// errorOutput is what a Catch puts into the document.
func errorOutput(f *failure) any {
	return map[string]any{"Error": f.name, "Cause": f.cause}
}

// wholeNumber is a number of a document that has to be whole.
func wholeNumber(v any) (int64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	whole, err := n.Int64()
	return whole, err == nil
}
