// SPDX-License-Identifier: Apache-2.0

package correlation

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
)

// What two parts of a request have in common decides nothing between them, and neither do folders, files and bare process
// ids until they were seen to differ.
func TestEvidenceOfSplitRequests(t *testing.T) {
	rule := &Rule{Rule: &linking.Rule{Roles: []string{"prefill", "decode"}}}
	process := func(item map[string]any) Process {
		attributes := pcommon.NewMap()
		require.NoError(t, attributes.FromRaw(item))
		return rule.ProcessOf(&Writer{}, attributes, pcommon.NewMap()).kept()
	}
	line := func(path, program string, pid int) map[string]any {
		return map[string]any{FilePathKey: path, sourceKey: program, processIDKey: pid}
	}
	learned := SameThread | SameFolder | SameFile
	f := func(name string, one, other map[string]any, want Evidence) {
		t.Helper()
		split := SplitBetween(process(one), process(other))
		assert.Equal(t, want, split.Allowed()&(learned|SameRole), name)
	}
	f("nothing is known", nil, nil, SameRole)
	f("two folders", line("/a/x.log", "x.py", 400), line("/b/x.log", "x.py", 500), learned|SameRole)
	f("two folders, and other programs", line("/a/x.log", "x.py", 400), line("/b/y.log", "y.py", 500), SameFolder|SameRole)
	f("two files of one folder", line("/a/x.log", "x.py", 400), line("/a/y.log", "x.py", 500), SameThread|SameFile|SameRole)
	f("one file", line("/a/x.log", "x.py", 400), line("/a/x.log", "x.py", 500), SameThread|SameRole)
	f("equal process ids", line("/a/x.log", "x.py", 400), line("/b/x.log", "x.py", 400), SameFolder|SameFile|SameRole)
	f("those of containers", line("/a/x.log", "x.py", 7), line("/b/x.log", "x.py", 8), SameFolder|SameFile|SameRole)
	f("two prefill instances", line("/prefill-1/x.log", "x.py", 400), line("/prefill-2/x.log", "x.py", 500), learned)
	f("a folder for each day", line("/a/x.log", "x.py", 400), line("/a/2026-11-28/x.log", "x.py", 500), SameThread|SameFile|SameRole)

	again := process(line("/a/x.log", "x.py", 400))
	assert.Equal(t, NotSplit, SplitBetween(again, again), "one process has the request twice")
	assert.Equal(t, ^Evidence(0), Whole.Allowed(), "a scope that was seen to be whole")
	assert.Zero(t, (^NotSplit).Allowed()&(SameProcess-1), "a poisoned key")
}

// The instance id that Kubernetes' metadata give to a container is not another one than the SDK's.
func TestInstanceOfContainer(t *testing.T) {
	rule := &Rule{Rule: &linking.Rule{}}
	process := func(instance string) Process {
		resource := pcommon.NewMap()
		require.NoError(t, resource.FromRaw(map[string]any{
			"service.name": "llm", "service.instance.id": instance, "k8s.pod.uid": "u",
			"k8s.namespace.name": "models", "k8s.pod.name": "llm-0", "k8s.container.name": "server",
		}))
		return rule.ProcessOf(&Writer{}, pcommon.NewMap(), resource)
	}
	f := func(line string, want Evidence, wantContradicts bool) {
		t.Helper()
		same, contradicts := process("627cc493").With(process(line))
		assert.Equal(t, want, same, line)
		assert.Equal(t, wantContradicts, contradicts, line)
	}
	f("models.llm-0.server", SamePod|SameContainer, false)
	f("627cc493", SamePod|SameContainer|SameProcess, false)
	f("5f21a0b7", SamePod|SameContainer, true)
}
