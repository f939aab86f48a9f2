// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"
	"time"
)

//go:embed page.md.tmpl
var pageTemplate string

// page is what its template tells of.
type page struct {
	Machine, Date, Commit string
	Arguments             string // of the program
	Rounds                int
	Slice, WarmUp         time.Duration
	Items, Connections    int
	Tables                map[string]string // by suite
	Missed                []string
	Repeated, Left        int
}

// dataTables are the suites whose tables are files beside the page.
var dataTables = []string{"profiles", "shipped", "files", "unowned"}

// writePage measures everything, and writes the page and its data.
func (r runner) writePage(ctx context.Context, path string) error {
	p := page{
		Machine: thisMachine(), Date: time.Now().Format(time.DateOnly), Commit: commit(ctx), Arguments: strings.Join(os.Args[1:], " "),
		Rounds: r.rounds, Slice: r.lengths.measured, WarmUp: r.lengths.warmUp,
		Items: itemsPerRequest, Connections: connections,
		Tables: map[string]string{},
	}
	everything := scope{allSignals, []int{5, 10}}
	asked, err := suitesNamed(limited)
	if err != nil {
		return err
	}
	var all []*comparison
	for _, s := range asked {
		err := p.table(s.name, func(w io.Writer) error {
			some, err := r.suite(ctx, s, everything, w)
			all = append(all, some...)
			return err
		})
		if err != nil {
			return err
		}
	}
	loads, err := profileLoads(ctx)
	if err != nil {
		return err
	}
	err = p.table("profiles", func(w io.Writer) error {
		some, err := r.profileTable(ctx, w, loads)
		all = append(all, some...)
		p.Tables["gains"] = strings.TrimSpace(gains(some))
		return err
	})
	if err != nil {
		return err
	}
	p.Repeated, p.Left = disturbances(all)
	p.Missed = missed(all)
	if err := p.table("latency", func(w io.Writer) error { return r.latencies(ctx, w, openLong) }); err != nil {
		return err
	}
	return p.write(path)
}

// table keeps what is written, for the page, and shows it.
func (p *page) table(name string, write func(io.Writer) error) error {
	var text strings.Builder
	fmt.Printf("\n%s\n\n", name)
	err := write(io.MultiWriter(&text, os.Stdout))
	p.Tables[name] = strings.TrimSpace(text.String())
	return err
}

func (p *page) write(path string) error {
	parsed, err := template.New("page").Option("missingkey=error").Parse(pageTemplate)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := parsed.Execute(&text, p); err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		return err
	}
	folder := strings.TrimSuffix(path, filepath.Ext(path))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, name := range dataTables {
		if err := writeData(filepath.Join(folder, name+".csv"), p.Tables[name]); err != nil {
			return err
		}
	}
	return nil
}

// writeData writes the rows of Markdown tables with one head to a file of comma-separated values.
func writeData(path, table string) error {
	var text strings.Builder
	w := csv.NewWriter(&text)
	head := ""
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "| ---") || line == head {
			continue
		}
		if head == "" {
			head = line
		}
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		if err := w.Write(cells); err != nil {
			return err
		}
	}
	w.Flush()
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

// commit says what was measured: what HEAD is, and whether the tree has changes.
func commit(ctx context.Context) string {
	described, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty=, with changes").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(described))
}
