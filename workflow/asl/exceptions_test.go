package asl

// exception is a recording whose end cannot be compared.
type exception struct {
	why   string
	shows string // what is different then
}

const (
	masked  = "the recording hides the input that decided"
	outside = "the definition is outside the profile"
)

var exceptions = map[string]exception{
	"TestBaseScenarios::test_wait_timestamp_path[SECONDS]": {masked, "TimestampPath"},
	"TestSfnWait::test_wait_timestamppath[Z]":              {masked, "TimestampPath"},
	"TestSfnWait::test_wait_timestamppath[.00Z]":           {masked, "TimestampPath"},

	"TestSnfBase::test_state_pass_result_jsonpaths": {
		"the recorded definition is a template that the recorder had changed", "Arg1",
	},
	"TestSnfBase::test_json_path_array_access[$.items[10]]": {
		"the recorded definition is a template that the recorder had changed, and indexes are outside the profile", "not a whole path",
	},
	"TestBaseScenarios::test_parallel_state_lambda": {
		"the recording does not say which branch got which result", "no more results are recorded",
	},
	"TestSnfBase::test_error_cause_path": {
		outside, "refused",
	},

	"TestBaseScenarios::test_catch_states_runtime":                                          {outside, "cannot be caught"},
	"TestBaseScenarios::test_map_state_break_condition":                                     {outside, "IsNumeric"},
	"TestBaseScenarios::test_map_state_break_condition_legacy":                              {outside, "IsNumeric"},
	"TestBaseScenarios::test_invalid_jsonpath[INVALID_JSONPATH_IN_STRING_EXPR_CONTEXTPATH]": {outside, "$$.Execution.Input"},
	"TestBaseScenarios::test_invalid_jsonpath[ST.INVALID_JSONPATH_IN_TIMEOUTSECONDSPATH]":   {outside, "TimeoutSecondsPath"},
	"TestBaseScenarios::test_escape_sequence_parsing[ESCAPE_SEQUENCES_JSONPATH]":            {outside, "not a whole path"},
	"TestSnfBase::test_query_context_object_values":                                         {outside, "$$.StateMachine"},
}

// uncounted are recordings whose events are not counted, with the reason.
var uncounted = map[string]string{
	"TestCallback::test_sqs_wait_for_task_token_no_token_parameter": "a call that waits for a token has one event more",
	"TestTimeouts::test_service_lambda_map_timeout":                 "four tasks time out at one instant, and the first may stop the others before or after they do",
}
