// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// testdata/samples/logfmt.log has lines that are records.
func TestLinesThatAreNotLogfmt(t *testing.T) {
	formats, err := builtin(t).Only("logfmt")
	require.NoError(t, err)
	for _, line := range []string{"", "=", "level", "  pool=gpu0 capacity=4096", " level=info msg=x", "pool=gpu0 level=info", "time=5s calls=3", "level=info msg=\"x",
		"level=info =x", "level=info a=b=c", "level=info a\"b", "level=info \xff=x", "LEVEL=info", "level =info", "message=x",
		"time=now level up", "t=5 seconds and level=high prose", "msg is level=high", "time=now level",
		"level=info" + strings.Repeat(" a=b", maxKeys)} {
		assert.Nil(t, formats.Match(line, nil, &Entry{}), line)
		assert.Nil(t, formats.Head([]byte(line), nil), line)
	}
}

// No value is lost where a line has a key several times.
func TestRepeatedKeys(t *testing.T) {
	attributes := pcommon.NewMap()
	for _, a := range []Attribute{text("a", "1"), number("a", 2), {Key: "a", Kind: KindJSON, Text: `{"b":3}`}, text("c", "4"), text("c", "4"), text("d", "5")} {
		a.Put(attributes)
	}
	assert.Equal(t, map[string]any{"a": []any{"1", int64(2), map[string]any{"b": int64(3)}}, "c": "4", "d": "5"}, attributes.AsRaw())
}
