// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"slices"
	"strings"
	"unicode"
)

// The one list of names whose values are credentials: of keys of telemetry, settings, options and URL parameters.
var (
	// CredentialNames are the last words of names: password is in db.user_password too. They are what the sanitisers of
	// the SDKs have, and headers of HTTP.
	CredentialNames = []string{
		"access_key", "access_token", "api_key", "apikey", "api_token", "auth_token", "authorization", "bearer_token", "client_secret",
		"account_key", "app_secret", "bot_token", "consumer_secret", "cookie", "credentials", "csrf_token", "encryption_key",
		"functions_key", "github_token", "hf_token", "hub_token", "id_token", "jwt", "jwt_assertion", "jwt_secret", "passphrase",
		"passwd", "password", "private_key", "private_token", "refresh_token", "secret_key", "security_token", "session_token",
		"set_cookie", "shared_secret", "signing_key", "signing_secret", "subscription_key", "vault_token", "webhook_secret", "xsrf_token",
	}

	// CredentialWords are credentials in telemetry only as a whole last part: next_page_token is none.
	CredentialWords = []string{"secret", "token"}

	// CredentialParameters are names of URL parameters, besides CredentialNames, in lower case.
	CredentialParameters = []string{
		// semantic-conventions 1.44, url.full.
		"x-amz-signature", "x-amz-credential", "x-amz-security-token", "awsaccesskeyid", "signature", "sig", "x-goog-signature",
		// Signed URLs and keys of other services.
		"x-goog-credential", "googleaccessid", "x-oss-signature", "ossaccesskeyid", "x-cos-security-token", "q-signature",
		"api-key", "key", "appkey", "app_key",
		// OAuth, SAML and sessions.
		"code", "assertion", "client_assertion", "samlresponse", "samlrequest", "auth", "authtoken", "accesstoken", "sessionid", "session_id",
		"jsessionid", "phpsessid", "ticket", "otp", "pass", "pwd", "passcode",
		// Connection strings.
		"sslpassword", "accountkey", "sharedaccesskey",
	}

	// endings are names that count without a border of words before them: dbpassword.
	endings = []string{"password", "passwd", "apikey"}

	// settingEnds are the ends of settings, besides those above. The types of most such settings say that they are
	// secrets, and the collector redacts them before; those of the Kafka client, of attributes and of parameters do not.
	settingEnds = []string{"sharedkey", "credential", "keypem", "assertion", "connectionstring", "signature"}

	// settingNames are whole settings: tokens of bearertokenauth is a secret, max_tokens is none.
	settingNames = []string{"tokens", "inline", "headerslist", "pwd", "sig"}

	// modelTokens are the words before the tokens of a language model, as in time_per_output_token.
	modelTokens = []string{"per", "first", "next", "last", "input", "output", "prompt", "generation"}
)

// isSetting reports whether the value of a setting or an attribute, such as api_key or clientSecret, is a secret.
func isSetting(name string) bool {
	words := Words(name)
	joined := strings.Join(words, "")
	if slices.Contains(settingNames, joined) {
		return true
	}
	if last := len(words) - 1; last > 0 && words[last] == "token" && slices.Contains(modelTokens, words[last-1]) {
		return false
	}
	isEnd := func(end string) bool { return strings.HasSuffix(joined, strings.ReplaceAll(end, "_", "")) }
	return slices.ContainsFunc(CredentialNames, isEnd) || slices.ContainsFunc(CredentialWords, isEnd) || slices.ContainsFunc(settingEnds, isEnd)
}

// isParameter reports whether the value of a URL parameter is a secret.
func isParameter(name string) bool {
	return isSetting(name) || slices.Contains(CredentialParameters, strings.ToLower(name))
}

// Vocabulary finds keys of telemetry with credentials. It is immutable.
type Vocabulary struct {
	names   map[string]string // by words that are joined: accesstoken is access_token
	longest int               // the number of words of the longest name
}

// NewVocabulary returns CredentialNames and CredentialWords, and further last words of keys.
func NewVocabulary(further []string) *Vocabulary {
	v := &Vocabulary{names: map[string]string{}}
	for _, name := range slices.Concat(CredentialNames, further) {
		words := Words(strings.TrimRight(name, numbers))
		v.names[strings.Join(words, "")] = name
		v.longest = max(v.longest, len(words))
	}
	return v
}

// MaxKey is the length of the end of a key that is considered.
const MaxKey = 255

// numbers are what ends keys of elements: password_1, authorization.0 and authorization[0].
const numbers = "0123456789._-[]"

// Find returns the name of the credential that a key has, or nothing.
func (v *Vocabulary) Find(key string) string {
	if len(key) > MaxKey {
		key = key[len(key)-MaxKey:]
	}
	key = strings.TrimRight(key, numbers)
	words := Words(key[strings.LastIndexAny(key, ".:/")+1:])
	// The hash of a credential identifies it and does not contain it: hashed_api_key, by which dashboards of LiteLLM group.
	if slices.Contains(words, "hashed") {
		return ""
	}
	for n := min(len(words), v.longest); n > 0; n-- {
		if name, ok := v.names[strings.Join(words[len(words)-n:], "")]; ok {
			return name
		}
	}
	if len(words) == 1 && slices.Contains(CredentialWords, words[0]) {
		return words[0]
	}
	joined := strings.Join(words, "")
	for _, ending := range endings {
		if strings.HasSuffix(joined, ending) {
			return ending
		}
	}
	return ""
}

// Words returns the words of a name in lower case: of X-API-Key, x_api_key and xApiKey they are x, api
// and key, and of DBPassword they are db and password.
func Words(name string) []string {
	var words []string
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		start, last, lower := 0, 0, false // the beginnings of the word and of the last character
		for i, r := range part {
			upper := unicode.IsUpper(r)
			begin := i
			if !upper {
				begin = last
			}
			if upper == lower && begin > start {
				words = append(words, strings.ToLower(part[start:begin]))
				start = begin
			}
			last, lower = i, !upper
		}
		words = append(words, strings.ToLower(part[start:]))
	}
	return words
}
