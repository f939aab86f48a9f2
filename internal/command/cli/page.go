// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"errors"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Page reads a page of metrics in Prometheus' text format. In OpenMetrics the names of counters are others.
func Page(text []byte) (map[string]*dto.MetricFamily, error) {
	if bytes.HasSuffix(bytes.TrimSpace(text), []byte("# EOF")) {
		return nil, errors.New("the page is in OpenMetrics: fetch it in the text format, without a header Accept")
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(strings.NewReader(string(text) + "\n"))
}
