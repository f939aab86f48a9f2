// SPDX-License-Identifier: Apache-2.0

package conformance

// Explorer holds what cardinality processors know of series and their cost.
type Explorer struct {
	// Shared reports whether a cardinality processor shares what it knows: both it and the conformance
	// connector must use the conventions extension.
	Shared bool `json:"shared"`
	// Metrics are those with the most series, most first.
	Metrics []Cost `json:"metrics"`
	// NotShown is the number of metrics that there was no room for. They have fewer series.
	NotShown int   `json:"not_shown"`
	Saved    Saved `json:"saved"`
}

// Cost holds the series, points and bytes of one metric of a service over all its resources, as they came to
// cardinality and as it sent them.
type Cost struct {
	Service   string `json:"service"`
	Name      string `json:"name"`
	Processor string `json:"processor"` // id of the cardinality processor
	Limit     int    `json:"limit"`     // series of one resource
	// Audit reports whether the data stays unchanged. Out is then what enforce would send.
	Audit bool   `json:"audit"`
	In    Amount `json:"in"`
	Out   Amount `json:"out"`
	// Buckets is how many each point of a histogram with explicit bounds goes out with, at least one. It is 0 for other
	// metrics. Prometheus has a series for each, and for sum and count.
	Buckets int `json:"buckets,omitempty"`
	// Folded is the number of series that were merged into others, by the rule that merged them: attribute,
	// attribute_limit, limit, service_limit or memory. With overflow it is the number of overflow series that
	// came: an agent or an SDK has merged series into them.
	Folded map[string]int `json:"folded,omitempty"`
	// Growing reports whether a resource has new series all the time.
	Growing bool `json:"growing,omitempty"`
	// Attributes are those of the points as they came. Those come first without which fewest series would
	// remain.
	Attributes []CostAttribute `json:"attributes"`
	// Culprit is what makes most of the series, or nil if nothing does.
	Culprit *Culprit `json:"culprit,omitempty"`
	// NotFollowed says why Attributes may lack what makes the series. It is empty if they do not.
	NotFollowed string `json:"not_followed,omitempty"`
	// History has the series at each of the last reports, newest last.
	History []SeriesAt `json:"history"`
	// Raise returns the setting that lets the metric have a number of series. It may be nil.
	Raise func(series int) string `json:"-"`
}

// Refused returns the number of series that a budget refused.
func (c *Cost) Refused() int {
	return c.Folded["limit"] + c.Folded["service_limit"] + c.Folded["memory"]
}

// Exploding returns the attribute that makes at least half of the series and stays, or nil.
func (c *Cost) Exploding() *CostAttribute {
	if c.Culprit == nil || c.Culprit.Removed != "" {
		return nil
	}
	for i := range c.Attributes {
		if c.Attributes[i].Key == c.Culprit.Keys[0] {
			return &c.Attributes[i]
		}
	}
	return nil
}

// Culprit is the attribute that makes at least half of a metric's series, or those that did and are removed.
type Culprit struct {
	Keys []string `json:"keys"`
	// Removed says why cardinality removes them, as in CostAttribute. It is empty if the attribute stays.
	Removed string `json:"removed,omitempty"`
	Left    int    `json:"left"` // series that come to the limit without them
}

// Amount is what comes or goes at one place.
type Amount struct {
	Series int     `json:"series"` // with a point within max_stale
	Points float64 `json:"points"` // a second, since the last report
	Bytes  float64 `json:"bytes"`  // a second, of the points in OTLP without compression, estimated
}

// SeriesAt is the number of series of a metric at one report.
type SeriesAt struct {
	In  int `json:"in"`
	Out int `json:"out"`
}

// CostAttribute holds what one attribute contributes to the series of a metric.
type CostAttribute struct {
	Key     string   `json:"key"`
	Values  int      `json:"values"` // estimated number of different values
	Exact   bool     `json:"exact"`
	Samples []string `json:"samples"` // some of the values
	// ID is IDByPack or IDSuspected if the values are ids, else empty.
	ID string `json:"id,omitempty"`
	// Removed says why cardinality removes the attribute: pack or setting. It is empty if it stays.
	Removed string `json:"removed,omitempty"`
	// Without is the estimated number of series that would come to the limit without this attribute. For a
	// removed one it is the number that come to it.
	Without int `json:"without"`
	// Fixes are what to paste, the one that leaves the fewest series first.
	Fixes []Fix `json:"fixes,omitempty"`
}

// The reasons why the values of an attribute are ids.
const (
	IDByPack    = "pack"      // a pack says so
	IDSuspected = "suspected" // it has very many values, or they look like ids
)

// Fix is configuration that keeps an attribute from making series.
type Fix struct {
	Kind string `json:"kind"` // FixDrop, FixLimitValues, FixOwners or FixPack
	YAML string `json:"yaml"`
	// Series is the predicted number of series that the metric sends with it.
	Series int `json:"series"`
}

// The kinds of fixes.
const (
	FixDrop        = "drop_attributes"  // cardinality removes the attribute from this metric
	FixLimitValues = "attribute_limits" // values past a limit become other, in all metrics
	FixOwners      = "owners"           // the attribute goes to a metric of the owners
	FixPack        = "pack"             // a pack says that the attribute holds ids
)

// Saved is what did not reach the backend, by the rates of the last hour.
type Saved struct {
	Series       int     `json:"series"`
	PointsPerDay float64 `json:"points_per_day"`
	BytesPerDay  float64 `json:"bytes_per_day"`
	// MoneyPerDay is by the prices of the settings. It is 0 without prices.
	MoneyPerDay float64 `json:"money_per_day"`
	Currency    string  `json:"currency,omitempty"`
}

// URLs are templates of links to the user's backend. Each is empty if it is not set.
type URLs struct {
	Trace  string `json:"trace,omitempty"`  // with {trace_id}
	Logs   string `json:"logs,omitempty"`   // with {service} or {trace_id}
	Metric string `json:"metric,omitempty"` // with {metric}, and {service}
}
