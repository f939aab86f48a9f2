// SPDX-License-Identifier: Apache-2.0

// Package clitest runs commands in the process of a test.
package clitest

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/command/cli"
)

// Run runs a command and returns its output, its error output and its exit code.
func Run(t testing.TB, cmd *cobra.Command, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	cmd.SetArgs(append([]string{}, args...)) // nil would mean the arguments of the test process
	var exit cli.Exit
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		require.ErrorAs(t, err, &exit)
	}
	return out.String(), errs.String(), exit.ExitCode()
}

// Serve starts a server with an answer for each path, and returns its URL.
func Serve(t testing.TB, answers map[string]string) string {
	t.Helper()
	return ServeBy(t, func(r *http.Request) string { return answers[r.URL.EscapedPath()] })
}

// ServeBy starts a server whose answers are those of a function, and returns its URL. Empty ones are not found.
func ServeBy(t testing.TB, answer func(*http.Request) string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := answer(r)
		if text == "" {
			http.NotFound(w, r)
			return
		}
		_, err := w.Write([]byte(text))
		assert.NoError(t, err)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
