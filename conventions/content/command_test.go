// SPDX-License-Identifier: Apache-2.0

package content

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCommandLines(t *testing.T) {
	p := New(Config{}, nil)
	f := func(text, want string) {
		t.Helper()
		got := p.ScrubURLs(Command, text)
		assert.Equal(t, want, got)
		assert.Equal(t, got, p.ScrubURLs(Command, got), "twice")
	}
	same := func(text string) {
		t.Helper()
		f(text, text)
	}
	f("vllm serve --api-key S --hf-token=S --model x", "vllm serve --api-key REDACTED --hf-token=REDACTED --model x")
	f(`java -Ddb.password="S T" -Djavax.net.ssl.keyStorePassword=S -jar x.jar`, "java -Ddb.password=REDACTED -Djavax.net.ssl.keyStorePassword=REDACTED -jar x.jar")
	f("env AWS_SECRET_ACCESS_KEY=S x --url https://u:p@h/?sig=S", "env AWS_SECRET_ACCESS_KEY=REDACTED x --url https://REDACTED@h/?sig=REDACTED")
	f("x --token 'S T' -v", "x --token REDACTED -v")
	same("kube-apiserver --tls-private-key-file=/x.key --authorization-mode=RBAC --password-file /x --key /y.pem")
	f(`curl -H "Authorization: Bearer S" -HX-Api-Key:S --header='X-GitLab-Token: S' -H 'Accept: */*' https://h/`,
		`curl -H "Authorization: REDACTED" -HX-Api-Key: REDACTED --header='X-GitLab-Token: REDACTED' -H 'Accept: */*' https://h/`)
	f("curl -u bob:S --proxy-user=u:S -b sid=S -d client_secret=S&a=b https://h/", "curl -u bob:REDACTED --proxy-user=u:REDACTED -b REDACTED -d client_secret=REDACTED&a=b https://h/")
	f("docker run -e GH_TOKEN=S -e MYSQL_PWD=S --env=REDISCLI_AUTH=S -eX_TOKEN=S -u 1000:1000 x", "docker run -e GH_TOKEN=REDACTED -e MYSQL_PWD=REDACTED --env=REDISCLI_AUTH=REDACTED -eX_TOKEN=REDACTED -u 1000:1000 x")
	f(`sh -c "x --password S"`, `sh -c "x --password REDACTED"`)
	f(`sh -c "GH_TOKEN=S x --password S"`, `sh -c "GH_TOKEN=REDACTED"`)
	f("kubectl create secret generic x --from-literal=password=S", "kubectl create secret generic x --from-literal=password=REDACTED")
	same("docker run -e PWD=/x -e TOKEN_TTL=5 -u root -v /a:/b x --token-file /x --next-page-token 5")
	same("vegeta -u http://h:80 -H Accept:x --max-tokens 5 --cookie jar.txt")
	same("x --password --verbose --token=")
	same("")
	same("a  b\t")
	for _, hostile := range []string{`"`, " ", "a=", "--token ", "-"} {
		_ = p.ScrubURLs(Command, strings.Repeat(hostile, 1<<18))
	}
}

func TestArguments(t *testing.T) {
	p := New(Config{}, nil)
	scrub := func(arguments ...string) []string {
		var option Option
		for i := range arguments {
			arguments[i], option = p.ScrubArgument(arguments[i], option)
		}
		return arguments
	}
	for range 2 {
		assert.Equal(t, []string{"vllm", "--api-key", "REDACTED", "--model", "x"}, scrub("vllm", "--api-key", "S T", "--model", "x"))
		assert.Equal(t, []string{"--hf-token=REDACTED", "--password", "--x"}, scrub("--hf-token=S T", "--password", "--x"))
		assert.Equal(t, []string{"sh", "-c", "x --token REDACTED"}, scrub("sh", "-c", "x --token S"))
		assert.Equal(t, []string{"https://REDACTED@h/", "--key", "x"}, scrub("https://u:S@h/", "--key", "x"))
		assert.Equal(t, []string{"curl", "https://REDACTED@h/?token=REDACTED"}, scrub("curl", "https://u:S@h/?token=S"))
	}
	keep := New(Config{Secrets: Keep}, nil)
	clean, _ := keep.ScrubArgument("--token=S", noOption)
	assert.Equal(t, "--token=S", clean)
}
