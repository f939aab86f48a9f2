// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
)

const protobuf = protobufType

// send posts a body and returns the response.
func (r *rig) send(t *testing.T, path, contentType, compression string, body []byte) (int, []byte) {
	t.Helper()
	post, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+r.http+path, bytes.NewReader(compress(t, compression, body)))
	require.NoError(t, err)
	post.Header.Set("Content-Type", contentType)
	if compression != "" {
		post.Header.Set("Content-Encoding", compression)
	}
	response, err := http.DefaultClient.Do(post)
	require.NoError(t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, answer
}

func compress(t *testing.T, compression string, body []byte) []byte {
	t.Helper()
	var compressed bytes.Buffer
	var w io.WriteCloser
	var err error
	switch compression {
	case "":
		return body
	case "gzip":
		w = gzip.NewWriter(&compressed)
	case "zstd":
		w, err = zstd.NewWriter(&compressed)
	}
	require.NoError(t, err)
	_, err = w.Write(body)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return compressed.Bytes()
}

func TestHTTP(t *testing.T) {
	r := newRig(t, func(c *Config) { c.MaxDecodedMib = 1 })
	want := map[string]int64{}
	f := func(name string, all []request, rule, answer string) {
		for _, request := range all {
			for _, contentType := range []string{protobuf, jsonType, jsonType + "; charset=utf-8"} {
				for _, compression := range []string{"", "gzip", "zstd"} {
					t.Run(name+request.path+" "+contentType+" "+compression, func(t *testing.T) {
						inJSON := contentType != protobuf
						code, body := r.send(t, request.path, contentType, compression, request.body(t, inJSON))
						arrived := r.arrived(t, request.path)
						if rule == "" {
							assert.Equal(t, http.StatusOK, code)
							assert.Equal(t, request.body(t, false), arrived, "byte for byte")
							return
						}
						want[rule+" http"]++
						assert.Equal(t, http.StatusBadRequest, code)
						assert.Equal(t, answer, message(t, inJSON, body))
						assert.Nil(t, arrived)
					})
				}
			}
		}
	}
	f("fine", requests(100, 43), "", "")
	f("deep", requests(1, 50), "max_depth", "max_depth: messages must not be nested deeper than 95")
	f("large", requests(20_000, 0), "max_decoded_mib", "max_decoded_mib: a request must not take more than 1 MiB once decoded")
	assert.Equal(t, want, r.refused(t))
	require.Equal(t, 1, r.logged.Len(), "the others only count")
	entry := r.logged.All()[0].ContextMap()
	assert.Equal(t, "http", entry["transport"])
	assert.Contains(t, entry["reason"], "max_depth")
	assert.Contains(t, entry["client"], "127.0.0.1:")
}

// message returns the message of a response, which has the request's encoding.
func message(t *testing.T, inJSON bool, body []byte) string {
	t.Helper()
	var answer status.Status
	if inJSON {
		require.NoError(t, json.Unmarshal(body, &answer))
	} else {
		require.NoError(t, proto.Unmarshal(body, &answer))
	}
	assert.EqualValues(t, codes.InvalidArgument, answer.GetCode())
	return answer.GetMessage()
}

// pdata refuses invalid requests, and other handlers get requests that are not OTLP.
func TestHTTPOtherRequests(t *testing.T) {
	r := newRig(t, func(*Config) {})
	f := func(path, contentType string, body []byte, want int, message string) {
		t.Helper()
		code, answer := r.send(t, path, contentType, "", body)
		assert.Equal(t, want, code)
		assert.Contains(t, string(answer), message)
	}
	deep := requests(1, 500)[0]
	f("/v1/traces", protobuf, []byte("\xff\xff\xff not protobuf"), http.StatusBadRequest, "proto: ")
	f("/v1/traces", protobuf, deep.body(t, false)[:100], http.StatusBadRequest, "unexpected EOF")
	f("/v1/traces", jsonType, []byte(`{"resourceSpans":[{}`), http.StatusBadRequest, "ReadArray")
	f("/v1/traces", "text/plain", deep.body(t, false), http.StatusUnsupportedMediaType, "unsupported media type")
	f("/v1/other", protobuf, deep.body(t, false), http.StatusNotFound, "")
	f("/v1/traces", protobuf, make([]byte, 5<<20), http.StatusBadRequest, "")
	assert.Empty(t, r.refused(t))
	f("/v1/traces", jsonType, []byte(`{"resourceSpans":[}`), http.StatusBadRequest, "json: the request must be valid JSON")
	assert.Equal(t, map[string]int64{"json http": 1}, r.refused(t))
}
