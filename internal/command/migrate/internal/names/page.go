// SPDX-License-Identifier: Apache-2.0

package names

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/otlptranslator"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

type metricKind = otlptranslator.MetricType

// family is a metric on a page that was read.
type family struct {
	kind   metricKind
	unit   string
	owner  *naming.System // of the page, if no pack owns the name
	labels map[string]bool
}

// kindsOfTypes are the types that the Prometheus receiver gives metrics.
var kindsOfTypes = map[model.MetricType]metricKind{
	model.MetricTypeCounter:   otlptranslator.MetricTypeMonotonicCounter,
	model.MetricTypeHistogram: otlptranslator.MetricTypeHistogram,
	model.MetricTypeSummary:   otlptranslator.MetricTypeSummary,
	model.MetricTypeInfo:      otlptranslator.MetricTypeNonMonotonicCounter,
	model.MetricTypeStateset:  otlptranslator.MetricTypeNonMonotonicCounter,
}

func kindOf(of model.MetricType) metricKind {
	if kind, ok := kindsOfTypes[of]; ok {
		return kind
	}
	return otlptranslator.MetricTypeGauge
}

func hasParts(kind metricKind) bool {
	return kind == otlptranslator.MetricTypeHistogram || kind == otlptranslator.MetricTypeSummary
}

// maxFamilies bounds the metrics of all pages.
const maxFamilies = 100_000

// Read reads a page in Prometheus' text format or in OpenMetrics, or the answer of Prometheus'
// /api/v1/metadata. It shows the types and the labels of metrics.
func (n *Names) Read(text []byte) error {
	read := map[string]family{}
	parse := parsePage
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		parse = parseMetadata
	}
	if err := parse(text, read); err != nil {
		return err
	}
	if len(n.families)+len(read) > maxFamilies {
		return fmt.Errorf("must have at most %d metrics (got %d)", maxFamilies, len(n.families)+len(read))
	}
	owner := n.ownerOf(read)
	for name, f := range read {
		if n.namer.MetricOwner(name) == nil {
			f.owner = owner
		}
		n.families[name] = f
	}
	return nil
}

// ownerOf returns the only system that owns metrics of a page by name, or nil.
func (n *Names) ownerOf(page map[string]family) *naming.System {
	var owner *naming.System
	for name := range page {
		switch by := n.namer.MetricOwner(name); {
		case by == nil || by == owner:
		case owner != nil:
			return nil
		default:
			owner = by
		}
	}
	return owner
}

func parsePage(text []byte, into map[string]family) error {
	format := "text/plain"
	if bytes.HasSuffix(bytes.TrimRight(text, "\n"), []byte("# EOF")) {
		format = "application/openmetrics-text"
	}
	parser, err := textparse.New(text, format, labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		return err
	}
	types, units := map[string]model.MetricType{}, map[string]string{}
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch entry {
		case textparse.EntryType:
			name, of := parser.Type()
			types[string(name)] = of
		case textparse.EntryUnit:
			name, unit := parser.Unit()
			units[string(name)] = string(unit)
		case textparse.EntrySeries:
			var series labels.Labels
			parser.Labels(&series)
			addSeries(into, series, types, units)
		}
		if len(into) > maxFamilies {
			return fmt.Errorf("must have at most %d metrics", maxFamilies)
		}
	}
}

// addSeries adds a series to its family. A counter of OpenMetrics has a family's name without _total, and
// the receiver names it as its samples.
func addSeries(into map[string]family, series labels.Labels, types map[string]model.MetricType, units map[string]string) {
	name := series.Get(model.MetricNameLabel)
	base, of := name, types[name]
	for _, suffix := range []string{bucketSuffix, sumSuffix, countSuffix} {
		if stem, ok := strings.CutSuffix(name, suffix); ok && hasParts(kindOf(types[stem])) {
			base, of = stem, types[stem]
		}
	}
	unit := units[base]
	if stem, ok := strings.CutSuffix(name, totalSuffix); ok && types[stem] == model.MetricTypeCounter {
		of, unit = model.MetricTypeCounter, units[stem]
	}
	f, ok := into[base]
	if !ok {
		f = family{kind: kindOf(of), unit: unitOfWord(unit), labels: map[string]bool{}}
	}
	series.Range(func(l labels.Label) { f.labels[l.Name] = true })
	into[base] = f
}

// unitOfWord returns the UCUM unit of a unit in OpenMetrics, which is a word.
func unitOfWord(word string) string {
	for _, u := range unitsOf(nil) {
		if word != "" && u.suffix == "_"+word {
			return u.name
		}
	}
	return word
}

// parseMetadata reads the answer of Prometheus' API. It has no labels.
func parseMetadata(text []byte, into map[string]family) error {
	var answer struct {
		Data map[string][]struct {
			Type model.MetricType `json:"type"`
			Unit string           `json:"unit"`
		} `json:"data"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return err
	}
	for name, all := range answer.Data {
		for _, metadata := range all {
			f := family{kind: kindOf(metadata.Type), unit: unitOfWord(metadata.Unit)}
			into[name] = f
			// Whether the samples of a counter have _total depends on the format of the page.
			if metadata.Type == model.MetricTypeCounter && !strings.HasSuffix(name, totalSuffix) {
				into[name+totalSuffix] = f
			}
		}
	}
	return nil
}
