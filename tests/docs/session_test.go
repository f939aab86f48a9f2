// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

// pageTimeout bounds what the commands of a page take.
const pageTimeout = 2 * time.Minute

// session is the shell of somebody who types a page's commands, on a machine where every
// port of the page is free: others take their places.
type session struct {
	dir       string            // where the commands run
	addresses map[string]string // by port on the page
	env       []string
}

var (
	address = regexp.MustCompile(`\b(?:127\.0\.0\.1|localhost):(\d+)\b`)
	// telemetryPort is the one port that is set without its host.
	telemetryPort = regexp.MustCompile(`\b(OTELCOL_TC_TELEMETRY_PORT=)(\d+)\b`)
	// inForeground is a collector that runs until somebody stops it.
	inForeground = regexp.MustCompile(`^((?:\w+=\S+ +)*)(otelcol-tc --config [^&|#]*[^&|# ]) *(?:#.*)?$`)
)

// defaultAddresses are where the profiles listen and send, by variable.
var defaultAddresses = map[string]string{
	"OTELCOL_TC_OTLP_GRPC_ENDPOINT":  "%s:4317",
	"OTELCOL_TC_OTLP_HTTP_ENDPOINT":  "%s:4318",
	"OTELCOL_TC_PROMETHEUS_ENDPOINT": "%s:9464",
	"OTELCOL_TC_HEALTH_ENDPOINT":     "%s:13133",
	"OTELCOL_TC_READINESS_ENDPOINT":  "%s:13134",
	"OTELCOL_TC_PAGE_ENDPOINT":       "%s:55690",
	"OTELCOL_TC_TELEMETRY_PORT":      "8888",
	"OTELCOL_TC_GATEWAYS":            `["%s:14317"]`,
	"OTELCOL_TC_BACKEND":             "http://%s:14318",
}

// backendPort is where the page's backend listens.
const backendPort = "14318"

func newSession(t *testing.T, p page) *session {
	t.Helper()
	s := &session{dir: t.TempDir(), addresses: map[string]string{}}
	text := p.commands()
	for _, value := range defaultAddresses {
		text += " " + strings.ReplaceAll(value, "%s", "127.0.0.1")
	}
	text += " 127.0.0.1:" + defaultAddresses["OTELCOL_TC_TELEMETRY_PORT"]
	for _, match := range telemetryPort.FindAllStringSubmatch(text, -1) {
		text += " 127.0.0.1:" + match[2]
	}
	ports := address.FindAllStringSubmatch(text, -1)
	free, err := loopback.FreeAddresses(len(ports))
	require.NoError(t, err)
	for i, match := range ports {
		s.addresses[match[1]] = free[i]
	}
	s.environment(t)
	s.tools(t)
	s.startBackend(t)
	return s
}

// here puts the session's ports in place of the page's.
func (s *session) here(text string) string {
	text = address.ReplaceAllStringFunc(text, func(found string) string {
		_, port, _ := net.SplitHostPort(found)
		return s.addresses[port]
	})
	return telemetryPort.ReplaceAllStringFunc(text, func(found string) string {
		name, port, _ := strings.Cut(found, "=")
		return name + "=" + s.port(port)
	})
}

func (s *session) port(onPage string) string {
	_, port, _ := net.SplitHostPort(s.addresses[onPage])
	return port
}

// there is the reverse of here.
func (s *session) there(text string) string {
	for port, address := range s.addresses {
		text = strings.ReplaceAll(text, address, "127.0.0.1:"+port)
	}
	return strings.ReplaceAll(text, s.dir, "…")
}

func (s *session) environment(t *testing.T) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "OTELCOL_TC_") && !strings.HasPrefix(v, "KUBECONFIG=") {
			s.env = append(s.env, v)
		}
	}
	for name, value := range defaultAddresses {
		if name == "OTELCOL_TC_TELEMETRY_PORT" {
			value = s.port(value)
		} else {
			value = s.here(strings.ReplaceAll(value, "%s", "127.0.0.1"))
		}
		s.env = append(s.env, name+"="+value)
	}
	state := t.TempDir()
	s.env = append(s.env,
		"HOME="+s.dir,
		"PATH="+filepath.Join(s.dir, ".bin")+":"+os.Getenv("PATH"),
		"OTELCOL_TC_STATE="+filepath.Join(state, "state"),
		"OTELCOL_TC_DATA="+filepath.Join(s.dir, "otelcol-tc-data"),
		"OTELCOL_TC_LOG_FILES=[/nowhere]",
		"OTELCOL_TC_SCRAPE_TARGETS=[]")
}

// tools puts what make has made onto the path, and the repository's files where the
// commands expect them: they are those of somebody in its root.
func (s *session) tools(t *testing.T) {
	bin := filepath.Join(s.dir, ".bin")
	require.NoError(t, os.Mkdir(bin, 0o700))
	require.NoError(t, os.Symlink(collectortest.Binary(t), filepath.Join(bin, "otelcol-tc")))
	root := collectortest.Root(t)
	for _, tool := range []string{"kubectl", "helm", "promtool"} {
		if path := filepath.Join(root, ".tools", tool); exists(path) {
			require.NoError(t, os.Symlink(path, filepath.Join(bin, tool)))
		}
	}
	for _, folder := range []string{"configs", "dashboards", "deploy"} {
		require.NoError(t, os.Symlink(filepath.Join(root, folder), filepath.Join(s.dir, folder)))
	}
}

// hostPage begins with the archive of a release.
const hostPage = "docs/get-started-host.md"

// archive packs the binary under test as `make release` does, under the name that the page has.
func (s *session) archive(t *testing.T) {
	name := regexp.MustCompile(`otelcol-tc_\S+\.tar\.gz`).FindString(readPage(t, hostPage).commands())
	require.NotEmpty(t, name)
	binary := collectortest.Binary(t)
	// One that is packed in a moment.
	cmd := exec.CommandContext(t.Context(), "tar", "--create", "--use-compress-program", "gzip --fast", "--file", filepath.Join(s.dir, name),
		"--directory", filepath.Dir(binary), "--dereference", filepath.Base(binary))
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", output)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// startBackend takes whatever a gateway sends.
func (s *session) startBackend(t *testing.T) {
	listener, err := net.Listen("tcp", s.addresses[backendPort])
	require.NoError(t, err)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/x-protobuf")
	})}
	go func() { _ = server.Serve(listener) }() // ends with Close
	t.Cleanup(func() { _ = server.Close() })
}

// prelude ends what runs in the background, and runs for a moment what would run in the
// foreground for ever.
const prelude = `
stop() { for job in $(jobs -p); do kill "$job" 2>/dev/null || true; done; wait || true; }
trap stop EXIT
in_foreground() {
	"$@" &
	local collector=$!
	curl -fsS --retry 60 --retry-delay 1 --retry-all-errors -o /dev/null "http://$OTELCOL_TC_HEALTH_ENDPOINT"
	sleep 0.2 # until it listens for signals
	kill "$collector"
	wait "$collector"
}
`

// ran is what a block wrote.
type ran struct{ stdout, stderr string }

// run runs blocks one after the other in one shell, and returns what each wrote. It ends at
// the first command that fails, with an error and what was written until then.
func (s *session) run(t *testing.T, blocks []string) ([]ran, error) {
	t.Helper()
	out := t.TempDir()
	script := prelude
	for i, text := range blocks {
		file := filepath.Join(out, strconv.Itoa(i))
		script += fmt.Sprintf("{\n%s\n} > %s.out 2> %s.err\n", s.here(withServers(text)), file, file)
	}
	ctx, cancel := context.WithTimeout(t.Context(), pageTimeout)
	defer cancel()
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, "bash", "-eu", "-c", script)
	cmd.Dir, cmd.Env = s.dir, s.env
	cmd.Stdout, cmd.Stderr = &said, &said
	// Whatever it started ends with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, said.String())
	}
	var results []ran
	for i := range blocks {
		file := filepath.Join(out, strconv.Itoa(i))
		stdout, notBegun := os.ReadFile(file + ".out")
		if notBegun != nil {
			break
		}
		stderr, readErr := os.ReadFile(file + ".err")
		require.NoError(t, readErr)
		results = append(results, ran{s.there(string(stdout)), s.there(string(stderr))})
	}
	return results, err
}

// withServers marks the collectors that would run until somebody stops them.
func withServers(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if match := inForeground.FindStringSubmatch(line); match != nil {
			lines[i] = match[1] + "in_foreground " + match[2]
		}
	}
	return strings.Join(lines, "\n")
}
