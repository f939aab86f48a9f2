// SPDX-License-Identifier: Apache-2.0

package tcgen

import (
	"slices"
	"strconv"
)

// What the packs repair beside names, so that the comparison of all else can be
// exact: types of attributes and kinds of metrics.

// coerced are the attributes that packs give a type, by the key as sent and as
// received.
var coerced = []string{
	"code.lineno", "thread.id", "tango.process.id", "tango.client_ident.pid",
	"stream", "tc.stream", "tp_rank", "tc.tp.rank", "dp_rank", "tc.dp.rank", "pid", "tc.thread.pid",
	"tuft.lora_rank", "tuft.backward",
}

// typed returns an attribute's value, in the type that its pack gives it.
func typed(attribute map[string]any) any {
	value := attribute["value"].(map[string]any)
	text, ok := value["stringValue"].(string)
	if !ok || !slices.Contains(coerced, attribute["key"].(string)) {
		return value
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return map[string]any{"intValue": strconv.FormatInt(n, 10)}
	}
	if b, err := strconv.ParseBool(text); err == nil {
		return map[string]any{"boolValue": b}
	}
	return value
}

// counters are the gauges that are counters, by their original name.
var counters = []string{"tc_pinned_class_acquire_timeouts_total", "tc_pinned_budget_exhausted_total"}

// asRepaired returns a metric as its pack repairs its kind. The start that a
// gauge's points do not have is the processor's.
func asRepaired(i Item) Item {
	if !slices.Contains(counters, i.text("name")) {
		return i
	}
	data, _ := i["gauge"].(map[string]any)
	if data == nil {
		data, _ = i["sum"].(map[string]any)
	}
	var points []any
	for _, p := range objects(data["dataPoints"]) {
		points = append(points, map[string]any(Item(p).without("startTimeUnixNano")))
	}
	i = i.without("gauge")
	i["sum"] = map[string]any{"dataPoints": points, "aggregationTemporality": 2.0, "isMonotonic": true}
	return i
}
