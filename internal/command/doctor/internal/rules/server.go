// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-tc/otelcol-tc/internal/command/doctor/internal/facts"
)

// servers are the rules on HTTP and gRPC servers.
var servers = []Rule{
	{"no-read-timeout", "A request that a client never finished delayed the end of the process by 45 s and more.", findNoReadTimeout},
	{"body-limit", "A body of 14.5 MB of nested values overflows the stack, which ends the process.", findBodyLimit},
	{"http-compression", "For a small body in zstd, lz4 or snappy, the decoder allocates memory that no limit counts.", findHTTPCompression},
	{"open-endpoint", "Everyone who can reach the machine can send data, or read the data of the collector.", findOpenEndpoint},
}

// server is an HTTP or a gRPC server of a component.
type server struct {
	facts.Settings
	component *facts.Component
	host      string
}

// serversOf returns the servers of the running components of sections.
func serversOf(c *facts.Configuration, sections ...string) (all []server) {
	for _, used := range c.Used(sections...) {
		for _, level := range used.Levels {
			if level.Listens {
				all = append(all, server{level, used, hostOf(level)})
			}
		}
	}
	return all
}

// hostOf returns the host of a server. It is "unix" for a socket, and for a server without an endpoint.
func hostOf(settings facts.Settings) string {
	endpoint := settings.Text("endpoint")
	if endpoint == "" || strings.HasPrefix(settings.Text("transport"), "unix") {
		return "unix"
	}
	if colon := strings.LastIndexByte(endpoint, ':'); colon >= 0 {
		return strings.Trim(endpoint[:colon], "[]")
	}
	return endpoint
}

// isHTTP reports whether the server is an HTTP server. gRPC servers read streams and have no read_timeout.
func (s server) isHTTP() bool { return s.Has("read_timeout") }

// severity is that of a fault which only a client of the server can use. Without an address of another machine it is
// a note.
func (s server) severity() Severity {
	address, err := netip.ParseAddr(s.host)
	if s.host == "unix" || s.host == "localhost" || err == nil && address.IsLoopback() {
		return Note
	}
	return Warning
}

// gracePeriod is Kubernetes' default time for a pod to end.
const gracePeriod = 30 * time.Second

// findNoReadTimeout checks receivers only, because the other servers get no bodies.
func findNoReadTimeout(c *facts.Configuration, report reporter) {
	for _, s := range serversOf(c, facts.Receivers) {
		path, timeout := facts.Below(s.Path, "read_timeout"), s.Duration("read_timeout")
		if !s.isHTTP() || timeout > 0 && timeout < gracePeriod {
			continue
		}
		text := facts.Name(s.Path) + " has no read_timeout"
		if timeout > 0 {
			text = fmt.Sprintf("%s: %s is not less than the %s that a pod has to end", facts.Name(path), timeout, gracePeriod)
		}
		report(s.severity(), path, text, "read_timeout and read_header_timeout of less than the grace period, such as 4s")
	}
}

const (
	mib = 1 << 20
	// largestBody is well below the 14.5 MB that ended the process, and above the bodies of usual clients.
	largestBody = 8 * mib
	// The limit of a server that sets none.
	defaultHTTPBody = 20 * mib
	defaultGRPCBody = 4 * mib
)

// findBodyLimit checks receivers of OTLP, whose values can be nested.
func findBodyLimit(c *facts.Configuration, report reporter) {
	for _, s := range serversOf(c, facts.Receivers) {
		if !s.component.Is("otlp") {
			continue
		}
		name, limit, fix := "max_request_body_size", int64(defaultHTTPBody), "max_request_body_size: 4194304"
		if own, _ := facts.Value[int64](s.Settings, name); own > 0 {
			limit = own
		}
		if !s.isHTTP() {
			name, limit, fix = "max_recv_msg_size_mib", defaultGRPCBody, "max_recv_msg_size_mib: 4"
			if own, _ := facts.Value[int](s.Settings, name); own > 0 {
				limit = int64(own) * mib
			}
		}
		if limit > largestBody {
			report(s.severity(), facts.Below(s.Path, name), fmt.Sprintf("%s accepts bodies of %d bytes", facts.Name(s.Path), limit), fix)
		}
	}
}

// unbounded are the algorithms whose decoders allocate memory that no limit counts. A server without a
// list accepts all of them.
var unbounded = []string{"zstd", "lz4", "snappy"}

func findHTTPCompression(c *facts.Configuration, report reporter) {
	const name = "compression_algorithms"
	for _, s := range serversOf(c, facts.Receivers) {
		accepted, _ := facts.Value[[]string](s.Settings, name)
		if accepted == nil {
			accepted = unbounded
		}
		accepted = slices.DeleteFunc(slices.Clone(accepted), func(a string) bool { return !slices.Contains(unbounded, a) })
		if s.Has(name) && len(accepted) > 0 {
			report(s.severity(), facts.Below(s.Path, name), fmt.Sprintf("%s accepts %s", facts.Name(s.Path), strings.Join(accepted, ", ")),
				`compression_algorithms: ["", gzip, zlib, deflate, x-snappy-framed]`)
		}
	}
}

// findOpenEndpoint reports a health check as a note only, because it reveals little.
func findOpenEndpoint(c *facts.Configuration, report reporter) {
	for _, s := range serversOf(c) {
		if !isUnspecified(s.host) {
			continue
		}
		path := facts.Below(s.Path, "endpoint")
		text := fmt.Sprintf("%s: %q is on all interfaces without authentication", facts.Name(path), s.Text("endpoint"))
		if !s.Set("tls") {
			text += " and without TLS"
		}
		authenticated := s.Set("auth") || s.Inner("tls").Text("client_ca_file") != ""
		switch {
		case authenticated && s.Set("tls"):
		case authenticated:
			report(Note, path, fmt.Sprintf("%s: %q is on all interfaces without TLS: credentials can be read in transit", facts.Name(path), s.Text("endpoint")),
				"set tls, unless a proxy in front of it does")
		case s.component.Is("health_check"):
			report(Note, path, text, "127.0.0.1, or the pod's address")
		default:
			report(Warning, path, text, "127.0.0.1 or the pod's address, or set auth and tls")
		}
	}
	noteOwnMetrics(c, report)
}

// noteOwnMetrics checks the server of the collector's own metrics. Its settings belong to another project and are read
// without their types.
func noteOwnMetrics(c *facts.Configuration, report reporter) {
	const readersPath, hostPath = "service::telemetry::metrics::readers", "pull::exporter::prometheus::host"
	readers, _ := c.Merged.Get(readersPath).([]any)
	for i, reader := range readers {
		settings, _ := reader.(map[string]any)
		host, ok := confmap.NewFromStringMap(settings).Get(hostPath).(string)
		if ok && isUnspecified(host) {
			path := strings.Split(readersPath+"::"+strconv.Itoa(i)+"::"+hostPath, confmap.KeyDelimiter)
			report(Note, path, fmt.Sprintf("the collector's own metrics are on all interfaces (%q), and can have no authentication", host),
				"127.0.0.1, or the pod's address")
		}
	}
}

// isUnspecified reports whether a server with that host listens on every address.
func isUnspecified(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "" || err == nil && address.IsUnspecified()
}
