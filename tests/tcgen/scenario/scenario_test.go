// SPDX-License-Identifier: Apache-2.0

package scenario_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

var base = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

func TestNewRejectsUnknownSystem(t *testing.T) {
	_, err := scenario.New("tensorflow", 1, base)
	if err == nil || !strings.Contains(err.Error(), `unknown system "tensorflow": must be one of tensorcast,`) {
		t.Errorf("got error %v", err)
	}
}

// TestSameSeedSameData plays the files of all systems.
func TestSameSeedSameData(t *testing.T) {
	for _, system := range slices.Concat(scenario.Names(), scenario.KeptNames()) {
		first, again, other := serialize(t, system, 7), serialize(t, system, 7), serialize(t, system, 8)
		if first != again {
			t.Errorf("%s: two runs with one seed differ", system)
		}
		if first == other && first != "" {
			t.Errorf("%s: runs with different seeds are equal", system)
		}
	}
}

// serialize returns all that a run sends, writes and exposes, and its truth.
func serialize(t *testing.T, system string, seed uint64) string {
	var out bytes.Buffer
	generator, err := scenario.New(system, seed, base)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		b := generator.Next(base.Add(time.Duration(i+1) * 10 * time.Second))
		traces, errT := (&ptrace.ProtoMarshaler{}).MarshalTraces(b.Traces)
		metrics, errM := (&pmetric.ProtoMarshaler{}).MarshalMetrics(b.Metrics)
		logs, errL := (&plog.ProtoMarshaler{}).MarshalLogs(b.Logs)
		if errT != nil || errM != nil || errL != nil {
			t.Fatal(errT, errM, errL)
		}
		if len(traces)+len(metrics)+len(logs)+len(b.Lines) > 0 {
			fmt.Fprintf(&out, "%x\n%x\n%x\n%v\n%v\n", traces, metrics, logs, b.Lines, b.Pairs)
		}
	}
	scraped, ok := generator.(scenario.Scraped)
	if !ok {
		return out.String()
	}
	families, err := scraped.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(&out, family); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}
