// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"google.golang.org/grpc"
)

// JSON that is not UTF-8 is refused. In protobuf it is accepted: a text that a client only
// passes on, such as a requested path, must not cost it the whole batch.
func TestTextsAreUTF8(t *testing.T) {
	r := newRig(t, func(*Config) {})
	connection := dial(t, r.grpc, grpc.WithDefaultCallOptions(grpc.ForceCodecV2(encoded{})))
	broken := func(body []byte) []byte {
		return bytes.Replace(body, []byte("innermost"), []byte("innerm\xff\xfft"), 1)
	}
	for _, request := range requests(100, 1) {
		code, body := r.send(t, request.path, jsonType, "gzip", broken(request.body(t, true)))
		assert.Equal(t, http.StatusBadRequest, code)
		assert.Equal(t, "utf8: JSON must be valid UTF-8", message(t, true, body))
		assert.Nil(t, r.arrived(t, request.path))
		code, _ = r.send(t, request.path, protobufType, "gzip", broken(request.body(t, false)))
		assert.Equal(t, http.StatusOK, code)
	}
	assert.NoError(t, connection.Invoke(t.Context(), exportTraces, broken(requests(100, 1)[0].body(t, false)), new([]byte)))
	assert.Equal(t, map[string]int64{"utf8 http": 3}, r.refused(t))
}
