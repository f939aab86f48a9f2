// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
)

// ownNode is how agents ask for pods: for those of their node.
var ownNode = regexp.MustCompile(`[?&]fieldSelector=spec\.nodeName%3Dnode-[ab](&|$)`)

// auditEvent is a line of the audit log, as far as it is looked at here.
type auditEvent struct {
	Verb        string
	RequestURI  string
	ObjectRef   struct{ APIGroup, Resource, Subresource string }
	Annotations map[string]string
}

// checkRole checks by the audit log that agents asked for what their role allows: for nothing else,
// and for all of it.
func checkRole(t *testing.T, k *kubeserver.Server) {
	t.Helper()
	type permission struct{ group, resource, verb string }
	role, err := k.Client.RbacV1().ClusterRoles().Get(t.Context(), "otelcol-tc-agent", metav1.GetOptions{})
	require.NoError(t, err)
	granted := map[permission]bool{}
	for _, rule := range role.Rules {
		require.Empty(t, rule.NonResourceURLs)
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					granted[permission{group, resource, verb}] = true
				}
			}
		}
	}

	asked := map[permission]bool{}
	file, err := os.Open(k.AuditLog)
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event auditEvent
		require.NoError(t, json.Unmarshal(lines.Bytes(), &event), "%s", lines.Bytes())
		assert.Equal(t, "allow", event.Annotations["authorization.k8s.io/decision"], event.RequestURI)
		assert.Regexp(t, ownNode, event.RequestURI)
		assert.Empty(t, event.ObjectRef.Subresource, event.RequestURI)
		asked[permission{event.ObjectRef.APIGroup, event.ObjectRef.Resource, event.Verb}] = true
	}
	require.NoError(t, lines.Err())
	assert.Equal(t, granted, asked)
}
