// SPDX-License-Identifier: Apache-2.0

// Package cli has what the commands share: how they end, and how they read configurations, files and pages.
package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/spf13/cobra"
)

// Exit ends the process with an exit code. Its reason was printed before.
type Exit int

// Exit codes of commands. The code is 0 if nothing is wrong.
const (
	Faults Exit = 1 // the input has faults
	Failed Exit = 2 // the command cannot do its work
)

// Error implements error.
func (e Exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// ExitCode returns the exit code of the process.
func (e Exit) ExitCode() int { return int(e) }

// Fail prints why a command cannot do its work, and returns the error that ends the process.
func Fail(cmd *cobra.Command, err error) error {
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: %v\n", cmd.CommandPath(), err)
	return Failed
}

// answerTimeout is the time for a server's answer.
const answerTimeout = 30 * time.Second

// Text reads a file, or the answer of a server if the name is a URL. It reads at most a number of bytes.
func Text(ctx context.Context, from string, most int64) ([]byte, error) {
	if !strings.Contains(from, "://") {
		file, err := os.Open(from)
		if err != nil {
			return nil, err
		}
		return read(file, most)
	}
	return Answer(ctx, from, "", most)
}

// Answer reads the answer of a server, at most a number of bytes. The token may be empty.
func Answer(ctx context.Context, from, token string, most int64) ([]byte, error) {
	page, err := url.Parse(from)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		return nil, fmt.Errorf("%s answers %s", page.Redacted(), response.Status)
	}
	return read(response.Body, most)
}

func read(from io.ReadCloser, most int64) ([]byte, error) {
	defer from.Close()
	text, err := io.ReadAll(io.LimitReader(from, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("must have at most %d bytes", most)
	}
	return text, err
}

// Page reads a page of metrics in Prometheus' text format. In OpenMetrics the names of counters are others.
func Page(text []byte) (map[string]*dto.MetricFamily, error) {
	if bytes.HasSuffix(bytes.TrimSpace(text), []byte("# EOF")) {
		return nil, errors.New("the page is in OpenMetrics: fetch it in the text format, without a header Accept")
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(strings.NewReader(string(text) + "\n"))
}
