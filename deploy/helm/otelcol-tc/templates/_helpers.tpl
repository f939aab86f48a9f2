{{/* A part's labels. Its name becomes service.name of its own metrics. */}}
{{- define "otelcol-tc.labels" -}}
app.kubernetes.io/name: otelcol-tc-{{ . }}
app.kubernetes.io/part-of: otelcol-tc
{{- end }}

{{- define "otelcol-tc.selector" -}}
app.kubernetes.io/name: otelcol-tc-{{ . }}
{{- end }}

{{- define "otelcol-tc.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* The profile, and the configurations merged over it: built-in fragments, then the user's own. */}}
{{- define "otelcol-tc.args" -}}
- --config=/etc/otelcol-tc/{{ .part }}.yaml
{{- range .values.fragments }}
- --config=builtin:fragments/{{ . }}
{{- end }}
{{- if .values.override }}
- --config=/etc/otelcol-tc/override.yaml
{{- end }}
{{- end }}

{{/* The data of a part's config map. */}}
{{- define "otelcol-tc.config" -}}
{{ .part }}.yaml: |
{{ .root.Files.Get (printf "files/%s.yaml" .part) | trimSuffix "\n" | indent 2 }}
{{- with .values.override }}
override.yaml: |
{{ toYaml . | indent 2 }}
{{- end }}
{{- range $file, $text := .root.Values.conventions.packFiles }}
{{ $file }}: |
{{ $text | trimSuffix "\n" | indent 2 }}
{{- end }}
{{- end }}

{{/* What both do with names and content, as variables that the profiles read. */}}
{{- define "otelcol-tc.conventions" -}}
{{- with .Values.conventions -}}
- {name: OTELCOL_TC_MODE, value: {{ .mode }}}
- {name: OTELCOL_TC_UNOWNED, value: {{ include "otelcol-tc.setting" .unowned }}}
- {name: OTELCOL_TC_CONTENT, value: {{ include "otelcol-tc.setting" .content }}}
{{- $packs := .packs }}
{{- if and .packFiles (not .packs) }}
{{- range $file := keys .packFiles | sortAlpha }}
{{- $packs = append $packs (printf "/etc/otelcol-tc/%s" $file) }}
{{- end }}
{{- $packs = append $packs "builtin" }}
{{- end }}
{{- with $packs }}
- {name: OTELCOL_TC_PACKS, value: {{ toJson . | quote }}}
{{- end }}
{{- with .services }}
- {name: OTELCOL_TC_SERVICES, value: {{ toJson . | quote }}}
{{- end }}
{{- end }}
{{- end }}

{{/* A setting that is a word or a map. */}}
{{- define "otelcol-tc.setting" -}}
{{- if kindIs "map" . }}{{ toJson . | quote }}{{ else }}{{ . }}{{ end }}
{{- end }}

{{/* The endpoints of both agents and gateways, as variables that the profiles read. */}}
{{- define "otelcol-tc.endpoints" -}}
- name: POD_IP
  valueFrom: {fieldRef: {fieldPath: status.podIP}}
# The brackets are valid for IPv4 and IPv6.
- {name: OTELCOL_TC_OTLP_GRPC_ENDPOINT, value: "[$(POD_IP)]:4317"}
- {name: OTELCOL_TC_OTLP_HTTP_ENDPOINT, value: "[$(POD_IP)]:4318"}
- {name: OTELCOL_TC_HEALTH_ENDPOINT, value: "[$(POD_IP)]:13133"}
- {name: OTELCOL_TC_READINESS_ENDPOINT, value: "[$(POD_IP)]:13134"}
- {name: OTELCOL_TC_TELEMETRY_HOST, value: $(POD_IP)}
- {name: OTELCOL_TC_TELEMETRY_PORT, value: "8888"}
{{- end }}

{{- define "otelcol-tc.probes" -}}
# A start first checks and compacts the files that an outage has left on disk.
startupProbe:
  httpGet: {path: /, port: health}
  periodSeconds: 2
  failureThreshold: 150
livenessProbe:
  httpGet: {path: /, port: health}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /, port: readiness}
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}
