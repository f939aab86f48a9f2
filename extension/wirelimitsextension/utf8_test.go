package wirelimitsextension

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Texts that are not UTF-8 are refused here, since the next one who decodes them as OTLP says
// refuses the whole batch that they have become part of, with data of others.
func TestTextsAreUTF8(t *testing.T) {
	r := newRig(t, func(*Config) {})
	connection := dial(t, r.grpc, grpc.WithDefaultCallOptions(grpc.ForceCodecV2(encoded{})))
	const answer = "utf8: texts must be valid UTF-8"
	broken := func(body []byte) []byte {
		return bytes.Replace(body, []byte("innermost"), []byte("innerm\xff\xffst"), 1)
	}
	for _, request := range requests(100, 1) {
		for _, contentType := range []string{protobufType, jsonType} {
			inJSON := contentType == jsonType
			code, body := r.send(t, request.path, contentType, "gzip", broken(request.body(t, inJSON)))
			assert.Equal(t, http.StatusBadRequest, code)
			assert.Equal(t, answer, message(t, inJSON, body))
		}
		assert.Nil(t, r.arrived(t, request.path))
	}
	err := connection.Invoke(t.Context(), exportTraces, broken(requests(100, 1)[0].body(t, false)), new([]byte))
	assert.Equal(t, codes.InvalidArgument, status.Code(err))
	assert.Equal(t, answer, status.Convert(err).Message())
	assert.Equal(t, map[string]int64{"utf8 http": 6, "utf8 grpc": 1}, r.refused(t))
}
