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

	mu   sync.Mutex
	rows map[offenderKey]*offender
}

type offenderKey struct{ service, metric string }

func newOffenders(logger *zap.Logger, id component.ID) *offenders {
	return &offenders{logger: logger, id: id, rows: map[offenderKey]*offender{}}
}

// newcomer notes a series that was not known, and whether a budget refused it, once
// four fifths of the family's limit are taken. The family is locked.
func (w *walk) newcomer(f *family, id *pointIdentity, attrs pcommon.Map, full rule, admitted bool) {
	if admitted && f.series.count*5 < f.plan.limit*4 {
		return
	}
	if f.sketch == nil {
		if !f.service.take(sketchBytes) {
			return
		}
		f.sketch = &sketch{}
	}
	f.sketch.add(w.seed, id.series, attrs, f.plan.keys, !admitted)
	if w.now.Sub(f.reported) >= logEvery {
		f.reported = w.now
		w.offenders.report(w.now, f, full, admitted)
	}
}

// report updates the row of a family's metric, and logs it when that is due.
func (o *offenders) report(now time.Time, f *family, full rule, admitted bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := offenderKey{f.service.name, f.plan.metric}
	row := o.rows[key]
	if row == nil {
		if len(o.rows) >= maxOffenders {
			return
		}
		row = &offender{service: f.service.name, metric: f.plan.metric}
		o.rows[key] = row
	}
	row.limit, row.demand = f.plan.limit, f.series.count+f.sketch.refused()
	row.attribute, row.values = f.sketch.widest()
	if !row.logged.IsZero() && now.Sub(row.logged) < logEvery {
		return
	}
	row.logged = now
	fields := []zap.Field{
		zap.String("service", row.service), zap.String("metric", row.metric), zap.Int("limit", row.limit),
		zap.Int("series", row.demand), zap.String("attribute", row.attribute), zap.Int("values", row.values),
		zap.String("override", row.override(o.id)),
	}
	if admitted {
		o.logger.Warn("A metric takes over 80 % of its limit of series", fields...)
	} else {
		o.logger.Warn("A metric is past a limit of series", append(fields, zap.String("full", ruleNames[full]))...)
	}
}

// override is the YAML that helps: it removes the attribute that alone makes the
// metric many, or else raises the limit.
func (o *offender) override(id component.ID) string {
	what := fmt.Sprintf("limit: %d", max(o.limit, o.demand)*2)
	if o.values >= o.limit/2 {
		what = fmt.Sprintf("drop_attributes: [%q]", o.attribute)
	}
	return fmt.Sprintf("processors:\n  %s:\n    overrides:\n      - metric: %q\n        %s\n", id, o.metric, what)
}
