// SPDX-License-Identifier: Apache-2.0

package genai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// answering is the model that answers, and refused one that is not served.
const (
	answering = "gpt-5-mini-2026-01-01"
	refused   = "gpt-refused"
	// Frameworks for agents know the windows of models, so that these are OpenAI's.
	agentModel   = "gpt-4.1-mini"
	agentRefused = "gpt-4-turbo"
)

// object is a JSON object.
type object = map[string]any

// usage is what each chat costs.
var usage = object{
	"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16,
	"prompt_tokens_details":     object{"cached_tokens": 4},
	"completion_tokens_details": object{"reasoning_tokens": 2},
}

// startAPI serves an API like that of OpenAI until the test ends, and returns its URL. All texts of its answers
// have the secret in them.
func startAPI(t *testing.T, secret string) string {
	t.Helper()
	address := collectortest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Model    string `json:"model"`
			Stream   bool   `json:"stream"`
			Tools    []any  `json:"tools"`
			Input    any    `json:"input"`
			Messages []struct {
				Role string `json:"role"`
			} `json:"messages"`
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		switch {
		case request.Model == refused, request.Model == agentRefused:
			message := `slow down with {"prompt": "` + secret + `-quoted"}`
			write(w, http.StatusTooManyRequests, object{"error": object{"message": message, "type": "rate_limit_exceeded", "code": "rate_limit_exceeded"}})
		case strings.HasSuffix(r.URL.Path, "/embeddings"):
			texts, _ := request.Input.([]any)
			var data []any
			for i := range max(1, len(texts)) {
				data = append(data, object{"object": "embedding", "index": i, "embedding": []float64{0.1, 0.2, 0.3}})
			}
			write(w, http.StatusOK, object{
				"object": "list", "model": request.Model, "usage": object{"prompt_tokens": 3, "total_tokens": 3}, "data": data,
			})
		case request.Stream:
			stream(w, "Rain, ", secret+"-delta")
		case len(request.Tools) > 0 && (request.Model != agentModel || request.Messages[len(request.Messages)-1].Role != "tool"):
			arguments, _ := json.Marshal(object{"city": secret + "-call"})
			write(w, http.StatusOK, chat("tool_calls", object{"role": "assistant", "content": nil, "tool_calls": []any{object{
				"id": "call_2", "type": "function", "function": object{"name": "get_weather", "arguments": string(arguments)},
			}}}))
		default:
			write(w, http.StatusOK, chat("stop", object{"role": "assistant", "content": "Rain, " + secret + "-answer."}))
		}
	}))
	return "http://" + address + "/v1"
}

func write(w http.ResponseWriter, status int, body object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// chat returns the answer to a chat.
func chat(reason string, message object) object {
	return object{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": answering,
		"system_fingerprint": "fp_1", "service_tier": "default", "usage": usage,
		"choices": []any{object{"index": 0, "message": message, "finish_reason": reason}},
	}
}

// stream writes the chunks of an answer, and what it costs.
func stream(w http.ResponseWriter, deltas ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(choices []any, more object) {
		body := object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": answering, "choices": choices}
		for key, value := range more {
			body[key] = value
		}
		text, _ := json.Marshal(body)
		fmt.Fprintf(w, "data: %s\n\n", text)
	}
	for _, delta := range deltas {
		chunk([]any{object{"index": 0, "delta": object{"role": "assistant", "content": delta}, "finish_reason": nil}}, nil)
	}
	chunk([]any{object{"index": 0, "delta": object{}, "finish_reason": "stop"}}, nil)
	chunk([]any{}, object{"usage": usage})
	fmt.Fprint(w, "data: [DONE]\n\n")
}
