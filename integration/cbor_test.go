package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/aws/smithy-go/encoding/cbor"
)

// plain lets a server that speaks no CBOR answer clients that speak nothing else,
// as the SDK's tagging client does: the request is passed on as the JSON that AWS
// takes as well, and the answer is passed back as CBOR.
func plain(server http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		service, operation, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/service/"), "/operation/")
		if r.Header.Get("Smithy-Protocol") != "rpc-v2-cbor" {
			server.ServeHTTP(w, r)
			return
		}
		asked, err := readCBOR(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		in := r.Clone(r.Context())
		in.URL.Path, in.RequestURI = "/", "/"
		in.Header.Del("Smithy-Protocol")
		in.Header.Set("Content-Type", "application/x-amz-json-1.1")
		in.Header.Set("X-Amz-Target", service+"."+operation)
		in.Body, in.ContentLength = io.NopCloser(bytes.NewReader(asked)), int64(len(asked))
		answered := httptest.NewRecorder()
		server.ServeHTTP(answered, in)
		var content any
		if err := json.Unmarshal(answered.Body.Bytes(), &content); err != nil {
			http.Error(w, answered.Body.String(), answered.Code) // a page that says what went wrong
			return
		}
		w.Header().Set("Smithy-Protocol", "rpc-v2-cbor")
		w.Header().Set("Content-Type", "application/cbor")
		w.WriteHeader(answered.Code)
		w.Write(cbor.Encode(toCBOR(content)))
	})
}

// readCBOR reads one CBOR value and returns it as JSON.
func readCBOR(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	v, err := cbor.Decode(body)
	if err != nil {
		return nil, err
	}
	content, err := fromCBOR(v)
	if err != nil {
		return nil, err
	}
	return json.Marshal(content)
}

func fromCBOR(v cbor.Value) (any, error) {
	switch v := v.(type) {
	case cbor.String:
		return string(v), nil
	case cbor.Uint:
		return uint64(v), nil
	case cbor.Bool:
		return bool(v), nil
	case cbor.List:
		all := make([]any, len(v))
		for i, e := range v {
			var err error
			if all[i], err = fromCBOR(e); err != nil {
				return nil, err
			}
		}
		return all, nil
	case cbor.Map:
		all := map[string]any{}
		for k, e := range v {
			var err error
			if all[k], err = fromCBOR(e); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	return nil, fmt.Errorf("%T in a request: nothing asked so far has one", v)
}

// toCBOR turns what json.Unmarshal returns into CBOR.
func toCBOR(content any) cbor.Value {
	switch c := content.(type) {
	case string:
		return cbor.String(c)
	case bool:
		return cbor.Bool(c)
	case float64:
		if c >= 0 && c == math.Trunc(c) {
			return cbor.Uint(c)
		}
		return cbor.Float64(c)
	case []any:
		list := make(cbor.List, len(c))
		for i, e := range c {
			list[i] = toCBOR(e)
		}
		return list
	case map[string]any:
		m := cbor.Map{}
		for k, e := range c {
			m[k] = toCBOR(e)
		}
		return m
	}
	return &cbor.Nil{}
}
