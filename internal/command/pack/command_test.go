// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"

	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor"
	"github.com/otelcol-tc/otelcol-tc/tests/clitest"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// run runs the command and returns its exit code, output and error output.
func run(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	out, errOut, code = clitest.Run(t, NewCommand(Settings{Providers: []confmap.ProviderFactory{
		envprovider.NewFactory(), fileprovider.NewFactory(), yamlprovider.NewFactory(),
	}, Naming: namingprocessor.NewFactory()}), args...)
	return code, out, errOut
}

// golden compares what the command does with testdata/<name>.txt.
func golden(t *testing.T, name string, args ...string) {
	t.Helper()
	code, out, errOut := run(t, args...)
	testfiles.Golden(t, filepath.Join("testdata", name+".txt"), fmt.Sprintf("%s%sexit code %d\n", out, errOut, code))
}

func TestCheck(t *testing.T) {
	golden(t, "check_good", "check", "testdata/shop.yaml")
	golden(t, "check_errors", "check", "testdata/errors.yaml", "testdata/shop.yaml")
	golden(t, "check_wrong", "check", "testdata/wrong.yaml")
	golden(t, "check_strangers", "check", "testdata/strangers.yaml")
	golden(t, "check_clash", "check", "testdata/clash.yaml")
	golden(t, "check_nothing", "check")
	golden(t, "check_missing", "check", "/nosuch/pack.yaml")
}

// A file without the ending .yaml is no built-in pack.
func TestCheckTakesAnyFileName(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("tuft", []byte("system: mine\nowns: {scopes: [x]}\n"), 0o600))
	code, out, _ := run(t, "check", "tuft")
	assert.Equal(t, []any{0, "tuft: no problems\n"}, []any{code, out})
}

func TestTest(t *testing.T) {
	golden(t, "test_good", "test", "testdata/shop.yaml")
	golden(t, "test_wrong", "test", "testdata/wrong.yaml")
	golden(t, "test_errors", "test", "testdata/errors.yaml")

	code, out, errOut := run(t, "test")
	assert.Equal(t, 0, code, out+errOut)
	assert.Contains(t, out, "builtin/tuft.yaml: ")
	assert.NotRegexp(t, `; [1-9]\d* of \d+ rules have no example`, out, "each rule for a name, a unit, an aggregate, an attribute or a log format has one")
}

func TestExplain(t *testing.T) {
	f := func(name string, args ...string) {
		t.Helper()
		golden(t, "explain_"+name, append([]string{"explain"}, args...)...)
	}
	shop := []string{"--packs", "testdata/shop.yaml,builtin"}
	owned := append([]string{"--service", "shop-web"}, shop...)
	f("metric_rename", append(owned, "orders")...)
	f("metric_rule", append(owned, "till_3_latency")...)
	f("metric_prefix", append(shop, "shop.queue")...)
	f("metric_repair", append(shop, "shop.errors", "--signal", "metric")...)
	f("metric_unowned", "pg_locks_count", "--signal", "metric")
	f("metric_exempt", append(owned, "http.server.duration", "--signal", "metric")...)
	f("span_rule", append(shop, "Checkout #4711")...)
	f("span_component", append(owned, "Book", "--attribute", "rpc.service=shop.v1.Ledger", "--signal", "span")...)
	f("span_general", append(owned, "POST /order/8f3a1c2e-1111-2222-3333-444455556666", "--signal", "span")...)
	f("attribute_rename", append(owned, "order")...)
	f("attribute_allowed", append(owned, "tc.payment.method")...)
	f("attribute_sensitive", append(owned, "card_number")...)
	f("attribute_copies", append(owned, "till.options")...)
	f("attribute_messages", append(owned, "till.talk.0.content", "--signal", "attribute")...)
	f("attribute_elsewhere", "artifact_id")
	f("attribute_content", "gen_ai.input.messages")
	f("attribute_secret", "http.request.header.authorization", "--signal", "attribute", "--config", "yaml:{extensions: {conventions: {content: {secrets: hash}}}, service: {extensions: [conventions]}}")
	f("log_pack", append(shop, "2026-01-02 10:00:00,5 [north] WARN trace_id=1 drawer card=123 is open")...)
	f("log_general", `{"time":"2026-01-02T10:00:00Z","level":"info","msg":"hello","n":1}`)
	f("log_none", "hello", "--signal", "log")
	f("nothing", "pg_locks_count")
	f("config", "--config", "testdata/collector.yaml", "pg_locks_count")
	f("config_pack", "--config", "testdata/collector.yaml", "--service", "shop", "orders")
	f("wrong_signal", "x", "--signal", "profile")
	f("wrong_pack", "x", "--packs", "tufd")
	f("wrong_config", "x", "--config", "yaml:extensions: {conventions: {pack: [tuft]}}\nservice: {extensions: [conventions]}")
}
