// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
	f("/v1/traces", protobufType, []byte("\xff\xff\xff not protobuf"), http.StatusBadRequest, "proto: ")
	f("/v1/traces", protobufType, deep.body(t, false)[:100], http.StatusBadRequest, "unexpected EOF")
	f("/v1/traces", jsonType, []byte(`{"resourceSpans":[{}`), http.StatusBadRequest, "ReadArray")
	f("/v1/traces", "text/plain", deep.body(t, false), http.StatusUnsupportedMediaType, "unsupported media type")
	f("/v1/other", protobufType, deep.body(t, false), http.StatusNotFound, "")
	f("/v1/traces", protobufType, make([]byte, 5<<20), http.StatusBadRequest, "")
	assert.Empty(t, r.refused())
	f("/v1/traces", jsonType, []byte(`{"resourceSpans":[}`), http.StatusBadRequest, "json: the request must be valid JSON")
	assert.Equal(t, map[string]int64{"json http": 1}, r.refused())
}
