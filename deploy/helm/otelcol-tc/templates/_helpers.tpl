{{- define "otelcol-tc.name" -}}
{{ .Values.nameOverride | default .Chart.Name | trunc 42 | trimSuffix "-" }}
{{- end }}

{{/*
The prefix of all names: the release's, with the chart's unless it contains it. 42 characters, because
a pod of a StatefulSet has a label of 63 with its name and a hash.
*/}}
{{- define "otelcol-tc.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride | trunc 42 | trimSuffix "-" }}
{{- else if contains (include "otelcol-tc.name" .) .Release.Name -}}
{{ .Release.Name | trunc 42 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name (include "otelcol-tc.name" .) | trunc 42 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "otelcol-tc.agent" -}}
{{ include "otelcol-tc.fullname" . }}-agent
{{- end }}

{{- define "otelcol-tc.gateway" -}}
{{ include "otelcol-tc.fullname" . }}-gateway
{{- end }}

{{- define "otelcol-tc.redis" -}}
{{ include "otelcol-tc.fullname" . }}-redis
{{- end }}

{{/* What belongs to no namespace is named by the release's, so that releases of one name do not meet. */}}
{{- define "otelcol-tc.agent.clusterRole" -}}
{{ .Release.Namespace }}:{{ include "otelcol-tc.agent" . }}
{{- end }}

{{/* "true" if an object in the cluster is of this release. */}}
{{- define "otelcol-tc.owned" -}}
{{- $annotations := dig "metadata" "annotations" dict .object }}
{{- and (eq (get $annotations "meta.helm.sh/release-name") .root.Release.Name)
  (eq (get $annotations "meta.helm.sh/release-namespace") .root.Release.Namespace) }}
{{- end }}

{{/*
The chart before 0.2 had the same namespaces whatever the release's. An upgrade stays there: the gateways'
volumes have their queues.
*/}}
{{- define "otelcol-tc.gateway.namespace" -}}
{{- $old := dict }}
{{- if and .Release.IsUpgrade (not .Values.gateway.namespace) }}
{{- $old = lookup "apps/v1" "StatefulSet" "otelcol-tc" (include "otelcol-tc.gateway" .) }}
{{- end }}
{{- if .Values.gateway.namespace -}}
{{ .Values.gateway.namespace }}
{{- else if eq "true" (include "otelcol-tc.owned" (dict "root" . "object" $old)) -}}
otelcol-tc
{{- else -}}
{{ .Release.Namespace }}
{{- end }}
{{- end }}

{{- define "otelcol-tc.agent.namespace" -}}
{{- $old := dict }}
{{- if and .Release.IsUpgrade (not .Values.agent.namespace) }}
{{- $old = lookup "apps/v1" "DaemonSet" "otelcol-tc-agent" (include "otelcol-tc.agent" .) }}
{{- end }}
{{- if .Values.agent.namespace -}}
{{ .Values.agent.namespace }}
{{- else if eq "true" (include "otelcol-tc.owned" (dict "root" . "object" $old)) -}}
otelcol-tc-agent
{{- else -}}
{{ .Release.Namespace | trunc 57 }}-agent
{{- end }}
{{- end }}

{{/*
A part's labels, of objects and pods: root, and part, which is agent, gateway or redis. The name becomes
service.name of the part's own metrics, and is all that selectors ask for, as they cannot change.
*/}}
{{- define "otelcol-tc.labels" -}}
{{ include "otelcol-tc.selector" . }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
app.kubernetes.io/part-of: otelcol-tc
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{/* A pod's labels: without those that change with each release of the chart, which would restart it. */}}
{{- define "otelcol-tc.podLabels" -}}
{{ include "otelcol-tc.selector" . }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
app.kubernetes.io/part-of: otelcol-tc
{{- with .values.podLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "otelcol-tc.selector" -}}
app.kubernetes.io/name: {{ include "otelcol-tc.fullname" .root }}-{{ .part }}
{{- end }}

{{- define "otelcol-tc.serviceAccount" -}}
{{- if .values.serviceAccount.create -}}
{{ .values.serviceAccount.name | default .name }}
{{- else -}}
{{ .values.serviceAccount.name | default "default" }}
{{- end }}
{{- end }}

{{/* The reference of an image, with what global.image says instead of it. A digest wins over a tag. */}}
{{- define "otelcol-tc.image" -}}
{{- $global := dig "image" dict (.Values.global | default dict) }}
{{- $registry := get $global "registry" | default .Values.image.registry }}
{{- with $registry }}{{ . }}/{{ end }}{{ .Values.image.repository }}
{{- with get $global "digest" | default .Values.image.digest -}}
@{{ . }}
{{- else -}}
:{{ get $global "tag" | default .Values.image.tag | default $.Chart.AppVersion }}
{{- end }}
{{- end }}

{{- define "otelcol-tc.pullSecrets" -}}
{{- with .Values.image.pullSecrets -}}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{/* "redis" if all gateways share an index. */}}
{{- define "otelcol-tc.index" -}}
{{- if or .Values.redis.enabled .Values.gateway.redis.endpoint .Values.gateway.redis.addresses }}redis{{ else }}memory{{ end }}
{{- end }}

{{- define "otelcol-tc.redis.secret" -}}
{{- if .Values.redis.enabled -}}
{{ .Values.redis.existingSecret | default (include "otelcol-tc.redis" .) }}
{{- else -}}
{{ .Values.gateway.redis.passwordSecret }}
{{- end }}
{{- end }}

{{/* The profile, and the configurations merged over it: built-in fragments, then the user's own. */}}
{{- define "otelcol-tc.args" -}}
- --config=/etc/otelcol-tc/{{ .part }}.yaml
{{- range .fragments }}
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
{{- end }}

{{/* Packs, and the settings of services. */}}
{{- define "otelcol-tc.conventionsFiles" -}}
{{- with .Values.conventions -}}
{{- $packs := .packs }}
{{- if and .packFiles (not .packs) }}
{{- range $file := keys .packFiles | sortAlpha }}
{{- $packs = append $packs (printf "/etc/otelcol-tc/%s" $file) }}
{{- end }}
{{- $packs = append $packs "builtin" }}
{{- end -}}
conventions.yaml: |
  # Read again when it changes, as packs are.
{{- with $packs }}
  packs: {{ toJson . }}
{{- end }}
{{- with .services }}
  services: {{ toJson . }}
{{- end }}
{{- range $file, $text := .packFiles }}
{{ $file }}: |
{{ $text | trimSuffix "\n" | indent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/* What both do with names and content, as variables that the profiles read. */}}
{{- define "otelcol-tc.conventions" -}}
{{- with .Values.conventions -}}
- {name: OTELCOL_TC_MODE, value: {{ .mode }}}
- {name: OTELCOL_TC_UNOWNED, value: {{ include "otelcol-tc.setting" .unowned }}}
- {name: OTELCOL_TC_CONTENT, value: {{ include "otelcol-tc.setting" .content }}}
{{- end }}
- {name: OTELCOL_TC_SETTINGS, value: /etc/otelcol-tc/conventions.yaml}
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

{{/* The sleep is the kubelet's own, as the image has no shell. */}}
{{- define "otelcol-tc.preStop" -}}
{{- with .preStopSeconds -}}
lifecycle:
  # Until no client is routed here any more.
  preStop:
    sleep: {seconds: {{ . }}}
{{- end }}
{{- end }}

{{/*
Where the agents of a node keep their state: releases must not share it, as an agent does not start while another one
has it. An upgrade keeps the directory.
*/}}
{{- define "otelcol-tc.agent.state" -}}
{{- $name := include "otelcol-tc.fullname" . }}
{{- $namespace := include "otelcol-tc.agent.namespace" . }}
{{- $path := .Values.agent.stateHostPath }}
{{- if and .Release.IsUpgrade (not $path) }}
{{- range dig "spec" "template" "spec" "volumes" list (lookup "apps/v1" "DaemonSet" $namespace (include "otelcol-tc.agent" .)) }}
{{- if eq .name "state" }}
{{- $path = .hostPath.path }}
{{- end }}
{{- end }}
{{- end }}
{{- if $path -}}
{{ $path }}
{{- else if and (eq $name "otelcol-tc") (eq $namespace "otelcol-tc-agent") -}}
/var/lib/otelcol-tc
{{- else -}}
/var/lib/otelcol-tc-{{ $name }}.{{ $namespace }}
{{- end }}
{{- end }}

{{/* The agents' fragments, as a list. Without agent-dns they would send to the profile's list of gateways. */}}
{{- define "otelcol-tc.agent.fragments" -}}
{{- $fragments := .Values.agent.fragments | default list }}
{{- $known := dig "exporters" "rendezvous" "endpoints" list (.Values.agent.override | default dict) | empty | not }}
{{- range .Values.agent.env }}
{{- $known = or $known (eq .name "OTELCOL_TC_GATEWAYS") }}
{{- end }}
{{- if not (or $known (has "agent-dns" $fragments) (has "agent-kafka" $fragments)) }}
{{- $fragments = prepend $fragments "agent-dns" }}
{{- end }}
{{- if (.Values.agent.kubelet).enabled }}
{{- $fragments = append $fragments "agent-kubelet" }}
{{- end }}
{{- if (.Values.tls).secretName }}
{{- $fragments = append $fragments "agent-mtls" }}
{{- end }}
{{- toYaml $fragments }}
{{- end }}

{{/*
The variables of a container: the chart's, and behind them the user's, which replace those of the same name. With a
name twice, the patch of the next upgrade may delete both.
*/}}
{{- define "otelcol-tc.env" -}}
{{- $theirs := .values.env | default list }}
{{- $names := dict }}
{{- range $theirs }}
{{- $_ := set $names .name true }}
{{- end }}
{{- $all := list }}
{{- range fromYamlArray .own }}
{{- if not (hasKey $names .name) }}
{{- $all = append $all . }}
{{- end }}
{{- end }}
{{- concat $all $theirs | toYaml }}
{{- end }}

{{- define "otelcol-tc.agent.env" -}}
- name: OTELCOL_TC_NODE
  valueFrom: {fieldRef: {fieldPath: spec.nodeName}}
{{- include "otelcol-tc.endpoints" . | nindent 0 }}
{{- include "otelcol-tc.conventions" . | nindent 0 }}
- {name: OTELCOL_TC_GATEWAY_NAME, value: {{ .Values.agent.gatewayName | default (printf "%s-headless.%s.svc" (include "otelcol-tc.gateway" .) (include "otelcol-tc.gateway.namespace" .)) }}}
- {name: OTELCOL_TC_HOST_ROOT, value: /host}
# None: the node's root directory is not mounted, because it has all secrets of the node. Mount
# the directory of a disk at the same place below /host, and name it here.
- {name: OTELCOL_TC_HOST_FILESYSTEMS, value: '["^$"]'}
{{- if (.Values.agent.kubelet).enabled }}
- name: OTELCOL_TC_KUBELET_HOST
  valueFrom: {fieldRef: {fieldPath: status.hostIP}}
- {name: OTELCOL_TC_KUBELET_INSECURE, value: "{{ .Values.agent.kubelet.insecureSkipVerify }}"}
{{- end }}
{{- end }}

{{- define "otelcol-tc.gateway.env" -}}
- name: OTELCOL_TC_INSTANCE
  valueFrom: {fieldRef: {fieldPath: metadata.name}}
{{- include "otelcol-tc.endpoints" . | nindent 0 }}
- {name: OTELCOL_TC_PROMETHEUS_ENDPOINT, value: "[$(POD_IP)]:9464"}
# The service's names. Probes, and a Prometheus server that discovers pods, use addresses.
- name: OTELCOL_TC_ALLOWED_HOSTS
  {{- $name := include "otelcol-tc.gateway" . }}
  {{- $namespaced := printf "%s.%s" $name (include "otelcol-tc.gateway.namespace" .) }}
  value: '["{{ $name }}", "{{ $namespaced }}", "{{ $namespaced }}.svc", "{{ $namespaced }}.svc.cluster.local"]'
{{- include "otelcol-tc.conventions" . | nindent 0 }}
- {name: OTELCOL_TC_BACKEND, value: {{ .Values.gateway.backend | quote }}}
{{- if eq "redis" (include "otelcol-tc.index" .) }}
- {name: OTELCOL_TC_INDEX, value: redis}
{{- if .Values.redis.enabled }}
- {name: OTELCOL_TC_REDIS_ENDPOINT, value: "{{ include "otelcol-tc.redis" . }}:6379"}
{{- else }}
{{- with .Values.gateway.redis }}
{{- with .endpoint }}
- {name: OTELCOL_TC_REDIS_ENDPOINT, value: {{ . | quote }}}
{{- end }}
{{- with .addresses }}
- {name: OTELCOL_TC_REDIS_ADDRESSES, value: {{ toJson . | quote }}}
{{- end }}
{{- with .masterName }}
- {name: OTELCOL_TC_REDIS_MASTER_NAME, value: {{ . | quote }}}
{{- end }}
{{- if .cluster }}
- {name: OTELCOL_TC_REDIS_CLUSTER, value: "true"}
{{- end }}
{{- end }}
{{- end }}
{{- with include "otelcol-tc.redis.secret" . }}
- name: OTELCOL_TC_REDIS_PASSWORD
  valueFrom: {secretKeyRef: {name: {{ . }}, key: password, optional: true}}
- name: OTELCOL_TC_INDEX_KEY
  valueFrom: {secretKeyRef: {name: {{ . }}, key: index-key, optional: true}}
{{- end }}
{{- end }}
{{- end }}
