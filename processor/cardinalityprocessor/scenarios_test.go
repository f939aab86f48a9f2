// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

// TestScenarios plays the files testdata/*.txt. Each has scenarios, which begin with a line "=== name". A scenario
// has one step a line, and each has a new processor that drops the attribute id:
//
//   - # text: a comment.
//   - config YAML: the settings, which come first. They are merged into the defaults.
//   - packs a b: the packs of the conventions, before the settings.
//   - start: begin to expire stale series. Without it only expire does.
//   - expire: remove everything that is stale.
//   - wait 10s: let time pass.
//   - restart: go on with a new processor that has the state of the old one.
//   - memory 0, reserve 0: set the memory limit, or the reserve, in bytes. limit of a service: service_limit 2.
//   - from scrape ADDRESS, from agent NAME, from anyone: the sender of what follows.
//   - refuse: the next component refuses the next batch.
//   - > KIND NAME: a metric of a batch, and below it its points. Metrics that follow each other are one batch.
//   - < KIND NAME: a metric of the output, likewise, or what became of the batch.
//   - counts: the processor's own metrics so far.
//
// The clock is fake. Times of points are in seconds, from an hour before the start on.
// With UPDATE_GOLDEN=1 the test writes the outputs and counts.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		head, rest, _ := strings.Cut(string(content), "=== ")
		var all []string
		for text := range strings.SplitSeq(rest, "\n=== ") {
			text = strings.TrimRight(text, "\n")
			name, steps, _ := strings.Cut(text, "\n")
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					played := strings.TrimRight(playScenario(t, steps), "\n")
					all = append(all, "=== "+name+"\n"+played)
					if os.Getenv("UPDATE_GOLDEN") == "" {
						require.Equal(t, steps, played, "UPDATE_GOLDEN=1 writes the outputs")
					}
				})
			})
		}
		if os.Getenv("UPDATE_GOLDEN") != "" {
			require.NoError(t, os.WriteFile(file, []byte(head+strings.Join(all, "\n\n")+"\n"), 0o600))
		}
	}
}

// player is a scenario that is played.
type player struct {
	*rig
	change    func(*Config)
	packs     []any
	telemetry *componenttest.Telemetry
	ctx       context.Context
	refuse    bool
	batch     *pmetric.Metrics
	metric    pmetric.Metric // the one whose points follow
	played    strings.Builder
}

// playScenario plays a scenario and returns it with the outputs that came.
func playScenario(t *testing.T, steps string) string {
	s := &player{ctx: t.Context()}
	begin := func() {
		s.rig = newRig(t, s.change, s.packs...)
		s.telemetry = componenttest.NewTelemetry()
		s.countInto(s.telemetry)
	}
	for line := range strings.Lines(steps) {
		line = strings.TrimSuffix(line, "\n")
		verb, rest, _ := strings.Cut(line, " ")
		setting := verb == "config" || verb == "packs" || verb == "#"
		if s.rig == nil && !setting {
			begin()
		}
		switch {
		case strings.HasPrefix(line, "{") && s.batch != nil:
			require.NoError(t, s.readPoint(line), line)
		case verb == ">":
			s.addMetric(rest)
		case verb == "<", strings.HasPrefix(line, "{"), strings.HasPrefix(line, "  "):
			s.flush()
			continue // what is sent and counted is written anew
		default:
			s.flush()
		}
		fmt.Fprintln(&s.played, line)
		if verb != ">" && !strings.HasPrefix(line, "{") {
			s.step(t, verb, rest)
		}
	}
	s.flush()
	return s.played.String()
}

// step takes a step that is no batch.
func (s *player) step(t *testing.T, verb, rest string) {
	number := func() int64 {
		n, err := strconv.ParseInt(rest, 10, 64)
		require.NoError(t, err)
		return n
	}
	switch verb {
	case "#", "":
	case "config":
		s.change = func(cfg *Config) {
			retrieved, err := confmap.NewRetrievedFromYAML([]byte(rest))
			require.NoError(t, err)
			conf, err := retrieved.AsConf()
			require.NoError(t, err)
			require.NoError(t, conf.Unmarshal(cfg))
		}
	case "packs":
		for pack := range strings.FieldsSeq(rest) {
			s.packs = append(s.packs, pack)
		}
	case "start":
		s.startExpiry()
	case "expire":
		s.expireAll()
	case "wait":
		d, err := time.ParseDuration(rest)
		require.NoError(t, err)
		time.Sleep(d)
		synctest.Wait()
	case "restart":
		after := newRig(t, s.change, s.packs...)
		after.p.telemetry = s.p.telemetry
		copySeries(t, s.p, after.p)
		s.rig = after
	case "memory":
		s.p.store.Memory.Limit = number()
	case "reserve":
		s.p.store.Memory.Reserve = number()
	case "service_limit":
		s.p.store.ServiceLimit = int(number())
	case "from":
		s.ctx = senderOf(t, rest)
	case "refuse":
		s.refuse = true
	case "counts":
		s.writeCounts(t)
	default:
		require.Fail(t, "no such step", verb)
	}
}

// senderOf returns the context of the batches of a sender.
func senderOf(t *testing.T, sender string) context.Context {
	switch how, name, _ := strings.Cut(sender, " "); how {
	case "scrape":
		return scrapeOf(t.Context(), name)
	case "agent":
		return sdkOf(t.Context(), name)
	default:
		return t.Context()
	}
}

// flush sends the batch, if there is one, and writes its output.
func (s *player) flush() {
	if s.batch == nil {
		return
	}
	md := *s.batch
	s.batch = nil
	out := "< nothing\n"
	refused := s.refuse
	err := s.taking(func(_ context.Context, md pmetric.Metrics) error {
		out = s.metricsText("<", md)
		if refused {
			return errors.New("full")
		}
		return nil
	}).ConsumeMetrics(s.ctx, md)
	if s.refuse {
		require.Error(s.t, err)
		out, s.refuse = "< refused\n", false
	} else {
		require.NoError(s.t, err)
	}
	s.played.WriteString(out)
}

// writeCounts writes the processor's own metrics, and the numbers of series and streams.
func (s *player) writeCounts(t *testing.T) {
	all := shown(t, s.telemetry)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&s.played, "  %s: %d\n", strings.TrimSpace(name), all[name])
	}
	fmt.Fprintf(&s.played, "  series: %d\n  streams: %d\n", s.series(), s.streamCount())
}

func TestGolden(t *testing.T) {
	pipetest.Run(t, NewFactory(), "testdata")
}
