package cardinalityprocessor

import (
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.uber.org/zap"
)

// maxOffenders bounds the table: what a person can read, and then some.
const maxOffenders = 1000

// logEvery is how often one metric of one service is logged at most.
const logEvery = time.Minute

// offender is a metric of a service that nears its limit or is past it.
type offender struct {
	service, metric string
	limit           int
	demand          int    // series that want a place; about
	attribute       string // the one with the most values
	values          int    // how many it has; about
	logged          time.Time
}

// offenders is the bounded table of the metrics that come near a limit. It is safe
// for concurrent use.
type offenders struct {
	logger *zap.Logger
	id     component.ID
	config *Config

	mu   sync.Mutex
	rows map[offenderKey]*offender
}

type offenderKey struct{ service, metric string }

func newOffenders(logger *zap.Logger, id component.ID, config *Config) *offenders {
	return &offenders{logger: logger, id: id, config: config, rows: map[offenderKey]*offender{}}
}

// newcomer notes a series that was not known, and the budget that refused it, once
// four fifths of a budget are taken. The family is locked.
func (w *walk) newcomer(f *family, id *pointIdentity, attrs pcommon.Map, full rule, admitted bool) {
	if admitted {
		var near bool
		if full, near = f.near(); !near {
			return
		}
	}
	if (!admitted || full == ruleLimit) && f.sketch == nil && f.service.take(sketchBytes) {
		f.sketch = &sketch{}
	}
	f.sketch.add(w.seed, id.series, attrs, f.plan.keys, !admitted)
	w.report(f, full, admitted)
}

// report reports a family at most once in a while.
func (w *walk) report(f *family, full rule, admitted bool) {
	if w.now.Sub(f.reported) >= logEvery {
		f.reported = w.now
		w.offenders.report(w.now, f, full, admitted)
	}
}

// report updates the row of a family's metric, and logs it when that is due.
func (o *offenders) report(now time.Time, f *family, full rule, admitted bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	row := o.row(now, offenderKey{f.service.name, f.plan.metric})
	if row == nil || !row.logged.IsZero() && now.Sub(row.logged) < logEvery {
		return
	}
	row.logged = now
	row.limit, row.demand = f.plan.limit, f.demand()
	row.attribute, row.values = f.sketch.widest()
	message := "A metric is past a limit of series"
	if admitted {
		message = "A metric comes near a limit of series: 80 % are taken"
	}
	o.logger.Warn(message, zap.String("budget", ruleNames[full]),
		zap.String("service", row.service), zap.String("metric", row.metric), zap.Int("limit", row.limit),
		zap.Int("series", row.demand), zap.String("attribute", row.attribute), zap.Int("values", row.values),
		zap.String("override", row.override(o.id, full, o.config)))
}

// row returns the row of a key. In a full table it takes the place of the one that
// was logged least lately, if that one may be logged again.
func (o *offenders) row(now time.Time, key offenderKey) *offender {
	if row, ok := o.rows[key]; ok {
		return row
	}
	if len(o.rows) >= maxOffenders {
		var oldest offenderKey
		for k, row := range o.rows {
			if first := o.rows[oldest]; first == nil || row.logged.Before(first.logged) {
				oldest = k
			}
		}
		if now.Sub(o.rows[oldest].logged) < logEvery {
			return nil
		}
		delete(o.rows, oldest)
	}
	row := &offender{service: key.service, metric: key.metric}
	o.rows[key] = row
	return row
}

// override is the YAML that helps: it removes the attribute that alone makes the
// metric many, or else raises what is full.
func (o *offender) override(id component.ID, full rule, config *Config) string {
	what := fmt.Sprintf("overrides:\n      - metric: %q\n        ", o.metric)
	switch {
	case 2*o.values >= o.demand && o.attribute != "":
		what += fmt.Sprintf("drop_attributes: [%q]", o.attribute)
	case full == ruleServiceLimit:
		what = fmt.Sprintf("service_limit: %d", 2*config.ServiceLimit)
	case full == ruleMemory:
		what = fmt.Sprintf("memory_limit_mib: %d", 2*config.MemoryLimitMib)
	default:
		what += fmt.Sprintf("limit: %d", 2*max(o.limit, o.demand))
	}
	return fmt.Sprintf("processors:\n  %s:\n    %s\n", id, what)
}
