// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/otelcol-tc/otelcol-tc/internal/usage"
)

// writeJSON writes everything.
func writeJSON(w io.Writer, u *usage.Usage) error {
	to := json.NewEncoder(w)
	to.SetIndent("", "  ")
	to.SetEscapeHTML(false)
	return to.Encode(u)
}

// writeTable writes a line for each metric, and what is not decided.
func writeTable(w io.Writer, u *usage.Usage) error {
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "METRIC\tTYPE\tREAD BY\tSERIES\tAFTER\tFREE\tNEEDED")
	now, after, free := 0, 0, 0
	for _, m := range u.Metrics {
		series, left := "", ""
		if m.Series != nil {
			now, after = now+m.Series.Now, after+m.Series.After
			series, left = fmt.Sprint(m.Series.Now), fmt.Sprint(m.Series.After)
			if m.Series.AtMost && m.Saved() > 0 {
				left = "≤" + left
			}
		}
		kind := string(m.Type)
		if m.Guessed {
			kind += "?"
		}
		if m.Function != "" {
			kind += " by " + m.Function
		}
		freeKeys, needed := m.Lists()
		if len(m.Free()) > 0 {
			free++
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", m.Name, kind, m.ReadBy, series, left, freeKeys, needed)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	u.WriteUndecided(w, "")
	fmt.Fprintf(w, "%d metrics are read, %d of them have attributes that are free, %d readers are not decided.\n", len(u.Metrics), free, len(u.Undecided))
	if u.Live {
		unread := 0
		for _, m := range u.Unread {
			unread += m.Series
		}
		fmt.Fprintf(w, "Their %d series become %d. %d metrics with %d series are read by nobody.\n", now, after, len(u.Unread), unread)
	} else {
		fmt.Fprintln(w, "Types are guesses, and so are the attributes: --series shows which there are.")
	}
	return nil
}
