{{/* A name of at most 63 characters, as a DNS label asks; the part that tells objects apart stays whole. */}}
{{- define "touchstone.fullname" -}}
{{- $suffix := printf "-%s" .name -}}
{{- $room := int (sub 63 (len $suffix)) -}}
{{- printf "%s%s" (.root.Release.Name | trunc $room | trimSuffix "-") $suffix -}}
{{- end }}

{{- define "touchstone.labels" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/part-of: touchstone
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}

{{- define "touchstone.selector" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end }}

{{/* "true" for a service that has no pod while nothing waits for it; else nothing. */}}
{{- define "touchstone.rests" -}}
{{- $scaling := .autoscaling | default dict -}}
{{- if and $scaling.enabled (not (int $scaling.minReplicas)) -}}true{{- end -}}
{{- end }}

{{- define "touchstone.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (.Values.serviceAccount.create | ternary .Release.Name "default") -}}
{{- end }}

{{/* A digest rules over the tag: what was tested is what runs. */}}
{{- define "touchstone.image" -}}
{{- $digest := (.service.image).digest | default "" -}}
{{- $name := printf "%s/%s" .root.Values.image.registry .name -}}
{{- if $digest -}}{{ printf "%s@%s" $name $digest }}{{- else -}}{{ printf "%s:%s" $name .root.Values.image.tag }}{{- end -}}
{{- end }}

{{/* Where a service's own address of the database lies. */}}
{{- define "touchstone.databaseKey" -}}
{{- if (.service.database).secret -}}
secretKeyRef: {name: {{ .service.database.secret }}, key: url}
{{- else -}}
secretKeyRef: {name: {{ include "touchstone.databaseSecret" .root }}, key: {{ .name }}}
{{- end -}}
{{- end }}

{{- define "touchstone.databaseSecret" -}}
{{- if .Values.demo.enabled -}}
{{ include "touchstone.fullname" (dict "name" "demo-database" "root" .) }}
{{- else -}}
{{ .Values.database.secret }}
{{- end -}}
{{- end }}

{{- define "touchstone.kafka" -}}
{{- if .Values.demo.enabled -}}
{{ include "touchstone.fullname" (dict "name" "demo-kafka" "root" .) }}:9092
{{- else -}}
{{ .Values.kafka.bootstrap }}
{{- end -}}
{{- end }}

{{/* The brokers as a pod of another namespace finds them, for example KEDA's: a name without a dot is one of ours. */}}
{{- define "touchstone.kafkaFromAfar" -}}
{{- $far := list -}}
{{- range splitList "," (include "touchstone.kafka" .) -}}
{{- $far = append $far (regexReplaceAll "^([^.:]+):" (trim .) (printf "${1}.%s.svc:" $.Release.Namespace)) -}}
{{- end -}}
{{ join "," $far }}
{{- end }}

{{/* What the brokers' listener speaks. */}}
{{- define "touchstone.kafkaProtocol" -}}
{{- $tls := .Values.kafka.tls.enabled -}}
{{- if .Values.kafka.sasl.user -}}{{ $tls | ternary "SASL_SSL" "SASL_PLAINTEXT" }}{{- else -}}{{ $tls | ternary "SSL" "PLAINTEXT" }}{{- end -}}
{{- end }}

{{/* The files that a client of the broker needs, as sources of one volume; nothing where it needs none. */}}
{{- define "touchstone.kafkaFiles" -}}
{{- $sasl := .Values.kafka.sasl }}{{- $tls := .Values.kafka.tls }}
{{- if not .Values.demo.enabled }}
{{- if $sasl.user }}
- secret:
    name: {{ required "kafka.sasl.secret names the secret with the password of kafka.sasl.user" $sasl.secret }}
    items: [{key: {{ $sasl.key }}, path: password}]
{{- end }}
{{- if and $tls.enabled $tls.ca }}
- secret:
    name: {{ $tls.ca }}
    items: [{key: {{ $tls.caKey }}, path: ca.crt}]
{{- end }}
{{- if and $tls.enabled $tls.client }}
- secret:
    name: {{ $tls.client }}
    items: [{key: {{ $tls.clientCertificate }}, path: client.crt}, {key: {{ $tls.clientKey }}, path: client.key}]
{{- end }}
{{- end }}
{{- end }}

{{/* Where blobs lie: as `blobs` says, or in the demonstration's own store. YAML, to be read with fromYaml. */}}
{{- define "touchstone.blobs" -}}
{{- if .Values.demo.enabled -}}
{{- $store := include "touchstone.fullname" (dict "name" "demo-s3" "root" .) -}}
{url: "s3://touchstone", endpoint: "http://{{ $store }}:7070", region: us-east-1, secret: {{ $store }}, claim: ""}
{{- else if hasPrefix "file://" .Values.blobs.url -}}
{{- if and .Values.blobs.claim (not (regexMatch "^file:///blobs(/|$)" .Values.blobs.url)) -}}
{{- fail (printf "blobs.url: %s lies outside of the volume of blobs.claim, which pods see as /blobs; name file:///blobs or a folder in it" .Values.blobs.url) -}}
{{- end -}}
{{- toYaml .Values.blobs -}}
{{- else -}}
{{- /* A bucket needs no volume, whatever claim the values name for a folder. */ -}}
{{- toYaml (omit .Values.blobs "claim") -}}
{{- end -}}
{{- end }}

{{/* The volume of a server of the demonstration. */}}
{{- define "touchstone.demoData" -}}
{{- if .claim -}}
{name: data, persistentVolumeClaim: {claimName: {{ .claim }}}}
{{- else -}}
{name: data, emptyDir: {}}
{{- end -}}
{{- end }}

{{/* What the demonstration's pods have in common: they satisfy the restricted level. */}}
{{- define "touchstone.demoPod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ .user }}
  runAsGroup: {{ .user }}
  fsGroup: {{ .user }}
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "touchstone.demoContainer" -}}
securityContext:
  readOnlyRootFilesystem: true
  allowPrivilegeEscalation: false
  capabilities:
    drop: [ALL]
volumeMounts:
  - {name: data, mountPath: /var/lib/demo}
  - {name: tmp, mountPath: /tmp}
  - {name: scripts, mountPath: /scripts, readOnly: true}
{{- end }}

{{/* What a pod of the demonstration shows at shut doors: a token of `doors.tokens`, and the authority of `doors.tls`. */}}
{{- define "touchstone.demoDoors" -}}
{{- with .root.Values.doors.tokens }}
- name: tokens
  secret: {secretName: {{ . }}, defaultMode: 0440, items: [{key: {{ $.token }}, path: {{ $.token }}}]}
{{- end }}
{{- with .root.Values.doors.tls }}
- name: tls
  secret: {secretName: {{ . }}, defaultMode: 0440, items: [{key: ca.crt, path: ca.crt}]}
{{- end }}
{{- end }}

{{- define "touchstone.demoDoorMounts" -}}
{{- if .Values.doors.tokens }}
- {name: tokens, mountPath: /etc/touchstone/tokens, readOnly: true}
{{- end }}
{{- if .Values.doors.tls }}
- {name: tls, mountPath: /etc/touchstone/tls, readOnly: true}
{{- end }}
{{- end }}

{{/* Where runner pods live, and nothing else does. */}}
{{- define "touchstone.runnerNamespace" -}}
{{- $namespace := .Values.runner.namespace | default (include "touchstone.fullname" (dict "name" "runners" "root" .)) -}}
{{- if eq $namespace .Release.Namespace -}}
{{- fail (printf "runner.namespace: %s is the release's own; name another: the runners' policy would shut every pod here off, and the executor could end them" $namespace) -}}
{{- end -}}
{{- $namespace -}}
{{- end }}
