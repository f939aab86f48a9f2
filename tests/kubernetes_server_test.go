package tests

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/otelcol-tc/otelcol-tc/internal/loopback"
)

// adminToken is that of a user who may do everything.
const adminToken = "admin"

// apiServer is a running Kubernetes API server with authorization by roles and the admission that
// is on by default. There are no controllers, no scheduler and no nodes: the tests do their work.
type apiServer struct {
	*server
	etcd      *server
	url       string
	authority string // file of the certificate of who signed the server's
	auditLog  string

	kubeconfig string // the administrator's
	client     *kubernetes.Clientset
}

// startAPIServer runs an API server and its etcd until the test ends.
func startAPIServer(t *testing.T) *apiServer {
	t.Helper()
	for attempt := 1; ; attempt++ {
		addresses, err := loopback.FreeAddresses(3)
		require.NoError(t, err)
		k := newAPIServer(t, addresses[0], addresses[2])
		k.etcd = newEtcd(t, addresses[0], addresses[1])
		log, ready := k.runEtcd(t, addresses[0])
		if ready {
			log, ready = k.run(t)
		}
		if ready {
			config, err := clientcmd.BuildConfigFromFlags("", k.kubeconfig)
			require.NoError(t, err)
			config.QPS = -1
			k.client, err = kubernetes.NewForConfig(config)
			require.NoError(t, err)
			return k
		}
		// Another process may have taken a port.
		if attempt == 3 || !strings.Contains(log, "address already in use") {
			t.Fatalf("the API server or its etcd ended before it was ready:\n%s", log)
		}
	}
}

func newEtcd(t *testing.T, client, peer string) *server {
	t.Helper()
	return &server{binary: kubernetesTool(t, "etcd"), args: []string{
		"--data-dir", t.TempDir(), "--unsafe-no-fsync", "--log-level", "error",
		"--listen-client-urls", "http://" + client, "--advertise-client-urls", "http://" + client,
		"--listen-peer-urls", "http://" + peer, "--initial-advertise-peer-urls", "http://" + peer,
		"--initial-cluster", "default=http://" + peer,
	}}
}

func (k *apiServer) runEtcd(t *testing.T, address string) (log string, ready bool) {
	t.Helper()
	return k.etcd.start(t, func() error {
		_, err := getPage(t.Context(), "http://"+address+"/health")
		return err
	})
}

func newAPIServer(t *testing.T, etcd, address string) *apiServer {
	t.Helper()
	dir := t.TempDir()
	host, port, _ := strings.Cut(address, ":")
	a := newAuthority(t)
	certificate, key := a.server(t)
	k := &apiServer{url: "https://" + address, authority: a.file, auditLog: filepath.Join(dir, "audit.log")}

	signing, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	signingKey := filepath.Join(dir, "sa.key")
	require.NoError(t, os.WriteFile(signingKey, pem.EncodeToMemory(&pem.Block{
		Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(signing),
	}), 0o600))
	tokens := filepath.Join(dir, "tokens.csv")
	require.NoError(t, os.WriteFile(tokens, []byte(adminToken+",admin,admin,system:masters\n"), 0o600))
	k.kubeconfig = writeKubeconfig(t, k.url, k.authority, adminToken)

	k.server = &server{binary: kubernetesTool(t, "kube-apiserver"), args: []string{
		"--etcd-servers", "http://" + etcd,
		"--bind-address", host, "--secure-port", port,
		"--tls-cert-file", certificate, "--tls-private-key-file", key, "--cert-dir", dir,
		"--authorization-mode", "RBAC", "--token-auth-file", tokens,
		"--service-account-issuer", "https://kubernetes.default.svc",
		"--service-account-key-file", signingKey, "--service-account-signing-key-file", signingKey,
		"--service-cluster-ip-range", "10.0.0.0/24",
		// It cannot say where to reach it: loopback is nobody else's.
		"--endpoint-reconciler-type", "none",
		"--audit-policy-file", "kubernetes/audit.yaml", "--audit-log-path", k.auditLog,
	}}
	return k
}

// run starts the server, for the first time or again.
func (k *apiServer) run(t *testing.T) (log string, ready bool) {
	t.Helper()
	client := k.httpClient(t)
	return k.start(t, func() error {
		response, err := client.Get(k.url + "/readyz")
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("/readyz: %s", response.Status)
		}
		return nil
	})
}

// end kills both: nobody needs what they know, and together they take 10 s to end by themselves.
func (k *apiServer) end(t *testing.T) {
	t.Helper()
	for _, s := range []*server{k.server, k.etcd} {
		select {
		case <-s.ended:
		default:
			s.kill(t)
		}
	}
}

// writeKubeconfig returns the file of a configuration that logs in with a token.
func writeKubeconfig(t *testing.T, url, authority, token string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `
apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: %q, certificate-authority: %q}}]
users: [{name: test, user: {token: %q}}]
contexts: [{name: test, context: {cluster: test, user: test}}]
current-context: test
`, url, authority, token), 0o600))
	return file
}

// agentKubeconfig logs in as the agents' service account, by a token as pods get it.
func agentKubeconfig(t *testing.T, k *apiServer) string {
	t.Helper()
	request, err := k.client.CoreV1().ServiceAccounts(agentNamespace).CreateToken(t.Context(), "otelcol-tc-agent",
		&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	return writeKubeconfig(t, k.url, k.authority, request.Status.Token)
}

// kubectl runs kubectl as the administrator.
func (k *apiServer) kubectl(t *testing.T, args ...string) {
	t.Helper()
	runKubernetesTool(t, "kubectl", append([]string{"--kubeconfig", k.kubeconfig, "--warnings-as-errors"}, args...)...)
}

// helm runs helm as the administrator.
func (k *apiServer) helm(t *testing.T, args ...string) {
	t.Helper()
	runKubernetesTool(t, "helm", append([]string{"--kubeconfig", k.kubeconfig}, args...)...)
}
