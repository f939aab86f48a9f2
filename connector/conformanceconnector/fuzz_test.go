// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// FuzzTraces checks arbitrary spans. Each span must be counted once.
func FuzzTraces(f *testing.F) {
	tr := newTree(newRand(1))
	a := tr.span("tuft", "training_controller.run_forward", internal, none, 0, 100)
	b := tr.span("tuft", "training_backend.forward", internal, a.SpanID(), 0, 200)
	a.SetParentSpanID(b.SpanID()) // each is the parent of the other
	a.Links().AppendEmpty().Attributes().PutStr(linkRuleKey, "x")
	seed, _ := (&ptrace.ProtoMarshaler{}).MarshalTraces(tr.td)
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(data)
		if err != nil {
			return
		}
		s := newTestState(t, func(c *Config) { c.MaxTraces, c.MaxSpans, c.MaxFindings = 8, 16, 8 })
		s.judgeTraces(context.Background(), td)
		s.judgeAll()
		r := s.report(time.Now(), true)
		var checked int64
		for _, svc := range r.Services {
			n, right := scoreOf(&svc, "traces")
			assert.LessOrEqual(t, right, n)
			checked += n
		}
		assert.EqualValues(t, td.SpanCount(), checked)
		s.assertNoneWait(t)
		scores(r, pcommon.NewResource())
		records(r, pcommon.NewResource())
	})
}
