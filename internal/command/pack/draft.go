// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/draft"
)

// defaultFrom is the endpoint at which the conformance connector serves its page by default.
const defaultFrom = "http://127.0.0.1:55690"

const (
	reportPath = "api/v1/report"
	// maxReport limits what is read. A report with all its tables full has a tenth of it.
	maxReport = 256 << 20
)

func newDraft() *cobra.Command {
	var from, service string
	cmd := &cobra.Command{
		Use:   "draft",
		Short: "Writes a pack for a service from what the conformance connector has seen of it",
		Long: `Writes a pack for a service from what the conformance connector has seen of it: its names and what the
general rules make of them, attributes that may be ids, gauges, and formats of its logs. What needs a
decision is in comments.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			report, err := readReport(cmd.Context(), from)
			if err != nil {
				return err
			}
			if service == "" {
				if service, err = onlyService(report); err != nil {
					return err
				}
			}
			text, err := draft.Pack(report, service)
			if err != nil {
				return err
			}
			_, err = io.WriteString(cmd.OutOrStdout(), text)
			return err
		},
	}
	cmd.Flags().StringVar(&from, "from", defaultFrom, "the conformance page, or a file with its "+reportPath)
	cmd.Flags().StringVar(&service, "service", "", "service.name of the service; needed if the report has several")
	return cmd
}

// onlyService returns the service of a report that has one.
func onlyService(report *conformance.Report) (string, error) {
	names := make([]string, len(report.Services))
	for i, s := range report.Services {
		names[i] = s.Name
	}
	if len(names) == 1 {
		return names[0], nil
	}
	if len(names) == 0 {
		return "", errors.New("the report has no services yet")
	}
	return "", fmt.Errorf("--service must be set: the report has %s", strings.Join(names, ", "))
}

// readReport reads a report from a page or a file.
func readReport(ctx context.Context, from string) (*conformance.Report, error) {
	if strings.Contains(from, "://") && !strings.HasSuffix(from, reportPath) {
		from = strings.TrimSuffix(from, "/") + "/" + reportPath
	}
	text, err := cli.Text(ctx, from, maxReport)
	if err != nil {
		return nil, fmt.Errorf("--from: %w", err)
	}
	report := &conformance.Report{}
	if err := json.Unmarshal(text, report); err != nil {
		return nil, fmt.Errorf("--from: must be a report of the conformance connector in JSON: %w", err)
	}
	return report, nil
}
