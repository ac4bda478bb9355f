package region

import (
	"encoding/base64"
	"slices"
)

// page cuts the page that follows token out of items, which are in the order of
// their keys. The token holds the last key seen, not a position: what appears or
// goes in between neither repeats nor hides anything else.
func page[T any](items []T, key func(T) string, token *string, size int) ([]T, *string, error) {
	start := 0
	if token != nil {
		last, err := base64.StdEncoding.DecodeString(*token)
		if err != nil || len(last) == 0 {
			return nil, nil, apiError("InvalidNextToken", "The token %q is not valid", *token)
		}
		start = slices.IndexFunc(items, func(item T) bool { return key(item) > string(last) })
		if start < 0 {
			return nil, nil, nil
		}
	}
	end := start + size
	if end >= len(items) {
		return items[start:], nil, nil
	}
	next := base64.StdEncoding.EncodeToString([]byte(key(items[end-1])))
	return items[start:end], &next, nil
}

// pageSize is how many items a page holds: what was asked for, or the API's
// default, at most what the region allows. The region is locked.
func (r *Region) pageSize(asked *int32, byDefault int) int {
	if asked != nil {
		return min(int(*asked), r.page)
	}
	return min(byDefault, r.page)
}
