// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"regexp"
	"strings"
)

// secretPath is the path of a service that has its secret in the path.
type secretPath struct {
	has     string // a text in the path, which most paths of this beginning do not have
	pattern *regexp.Regexp
}

// secretPaths are the forms that say by themselves whose they are, by the letters that the path begins with.
var secretPaths = map[string]secretPath{
	"services":     newSecretPath("T", `services/T\w+/B\w+/(%)`), // Slack
	"workflows":    newSecretPath("T", `workflows/T\w+/A\w+/\d+/(%)`),
	"triggers":     newSecretPath("", `triggers/[TE]\w+/\d+/(%)`),
	"api":          newSecretPath("webhook", `api(?:/v\d+)?/(?:webhooks/\d+/(%)|webhook/([\w-]{32,}))`), // Discord, Home Assistant
	"bot":          newSecretPath(":", `bot\d+:(%)`),                                                    // Telegram
	"file":         newSecretPath("bot", `file/bot\d+:(%)`),
	"webhookb":     newSecretPath("IncomingWebhook", `webhookb2/[^/]+/IncomingWebhook/(%(?:/%)*)`), // Microsoft Teams
	"webhook":      newSecretPath("IncomingWebhook", `webhook/[^/]+/IncomingWebhook/(%(?:/%)*)`),
	"hooks":        newSecretPath("", `hooks/(?:catch/\d+/(%)|([a-z0-9]{26})|\w{17,24}/(\w{30,}))`), // Zapier, Mattermost, Rocket.Chat
	"trigger":      newSecretPath("key", `trigger/%(?:/json)?/with/key/(%)`),                        // IFTTT
	"inputs":       newSecretPath("tag", `inputs/(%)/tag/`),                                         // Loggly
	"receiver":     newSecretPath("http", `receiver/v1/http/(%)`),                                   // Sumo Logic
	"integration":  newSecretPath("enqueue", `integration/(%)/enqueue`),                             // PagerDuty
	"integrations": newSecretPath("alert", `integrations/generic/\d+/alert/(%)`),                    // Splunk On-Call
	"open-apis":    newSecretPath("hook", `open-apis/bot/(?:v2/)?hook/(%)`),                         // Feishu and Lark
	"build_hooks":  newSecretPath("", `build_hooks/(%)`),                                            // Netlify
}

// newSecretPath returns a path, whose slashes may be escaped. The group of the pattern is the secret, and a % is a part
// of the path.
func newSecretPath(has, pattern string) secretPath {
	slash := `\\*/`
	pattern = strings.ReplaceAll(pattern, "[^/]+", "%")
	pattern = strings.ReplaceAll(pattern, "/", slash)
	return secretPath{has, regexp.MustCompile("^" + strings.ReplaceAll(pattern, "%", `[^/\\?#&;\s"'<>`+"`]+"))}
}

// pathLengths are the lengths of the keys of secretPaths, as bits, by their first letters. Most paths have others.
var pathLengths = func() (lengths [256]uint32) {
	for first := range secretPaths {
		lengths[first[0]] |= 1 << len(first)
	}
	return lengths
}()

// withoutPathSecrets replaces the secrets in the paths of URLs, where the first scheme ends at next. Without a scheme,
// which is -1, an address and a name can have one path.
func withoutPathSecrets(form Form, text string, next int) string {
	begin := next // of a path
	switch {
	case next >= 0:
		begin = pathBegin(text, next)
	case form == Address || form == Name:
		begin = pathBegin(text, 0)
	}
	var b strings.Builder
	done := 0 // the length of the text that b contains
	for begin >= 0 {
		if from, to := pathSecret(text[begin:]); from < to && text[begin+from:begin+to] != replacement {
			b.WriteString(text[done : begin+from])
			b.WriteString(replacement)
			done = begin + to
		}
		if next < 0 {
			break
		}
		if next, _ = afterScheme(text, max(begin, done)); next < 0 {
			break
		}
		begin = pathBegin(text, next)
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// pathBegin returns what follows the next slash of a text, or -1.
func pathBegin(text string, from int) int {
	if slash := strings.IndexByte(text[from:], '/'); slash >= 0 {
		return from + slash + 1
	}
	return -1
}

// maxSecretPath is the length of a path in which its text must be. A line can have many paths, each to its end.
const maxSecretPath = 512

// pathSecret returns where the secret is in a path, without its first slash. To is 0 if it has none.
func pathSecret(path string) (from, to int) {
	end := 0
	for end < len(path) && (isLetter(path[end]) || path[end] == '_' || path[end] == '-') {
		end++
	}
	if end == 0 || pathLengths[path[0]]>>end&1 == 0 {
		return 0, 0
	}
	form, ok := secretPaths[path[:end]]
	if !ok || !strings.Contains(path[:min(len(path), maxSecretPath)], form.has) {
		return 0, 0
	}
	match := form.pattern.FindStringSubmatchIndex(path)
	for i := 2; i < len(match); i += 2 {
		if match[i] >= 0 {
			return match[i], match[i+1]
		}
	}
	return 0, 0
}
