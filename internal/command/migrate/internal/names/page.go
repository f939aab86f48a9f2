// SPDX-License-Identifier: Apache-2.0

package names

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/prometheus/otlptranslator"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
)

type metricKind = otlptranslator.MetricType

// family is a metric on a page that was read.
type family struct {
	kind   metricKind
	owner  *naming.System // of the page, if no pack owns the name
	labels map[string]bool
}

// kindsOfTypes are the types that the Prometheus receiver gives metrics. Others become gauges.
var kindsOfTypes = map[string]metricKind{
	"counter":   otlptranslator.MetricTypeMonotonicCounter,
	"histogram": otlptranslator.MetricTypeHistogram,
	"summary":   otlptranslator.MetricTypeSummary,
	"info":      otlptranslator.MetricTypeNonMonotonicCounter,
	"stateset":  otlptranslator.MetricTypeNonMonotonicCounter,
}

func kindOf(typeName string) metricKind {
	if kind, ok := kindsOfTypes[strings.ToLower(typeName)]; ok {
		return kind
	}
	return otlptranslator.MetricTypeGauge
}

func hasParts(kind metricKind) bool {
	return kind == otlptranslator.MetricTypeHistogram || kind == otlptranslator.MetricTypeSummary
}

// Read reads a page in Prometheus' text format, or the answer of Prometheus' /api/v1/metadata. It shows the types and
// the labels of metrics.
func (n *Names) Read(text []byte) error {
	read := parsePage
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		read = parseMetadata
	}
	page, err := read(text)
	if err != nil {
		return err
	}
	owner, _ := n.namer.PageOwner(maps.Keys(page), n.namer.MetricOwner)
	for name, f := range page {
		if n.namer.MetricOwner(name) == nil {
			f.owner = owner
		}
		n.families[name] = f
	}
	return nil
}

// parsePage reads a page.
func parsePage(text []byte) (map[string]family, error) {
	families, err := cli.Page(text)
	if err != nil {
		return nil, err
	}
	page := map[string]family{}
	for name, sent := range families {
		f := family{kind: kindOf(sent.GetType().String()), labels: map[string]bool{}}
		for _, metric := range sent.GetMetric() {
			for _, pair := range metric.GetLabel() {
				f.labels[pair.GetName()] = true
			}
		}
		page[name] = f
	}
	return page, nil
}

// parseMetadata reads the answer of Prometheus' API. It has no labels.
func parseMetadata(text []byte) (map[string]family, error) {
	var answer struct {
		Data map[string][]struct {
			Type string `json:"type"`
		} `json:"data"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fmt.Errorf("the answer of Prometheus: %w", err)
	}
	page := map[string]family{}
	for name, all := range answer.Data {
		for _, metadata := range all {
			f := family{kind: kindOf(metadata.Type)}
			page[name] = f
			// Whether the samples of a counter have _total depends on the format of the page.
			if f.kind == otlptranslator.MetricTypeMonotonicCounter && !strings.HasSuffix(name, totalSuffix) {
				page[name+totalSuffix] = f
			}
		}
	}
	return page, nil
}
