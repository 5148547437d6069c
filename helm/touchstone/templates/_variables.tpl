{{/* Where the files of `touchstone.kafkaFiles` are in a container. */}}
{{- define "touchstone.kafkaVariables" -}}
{{- if .Values.kafka.sasl.user }}
- {name: TOUCHSTONE_KAFKA_PASSWORD_FILE, value: /etc/touchstone/kafka/password}
{{- end }}
{{- if and .Values.kafka.tls.enabled .Values.kafka.tls.ca }}
- {name: TOUCHSTONE_KAFKA_CA, value: /etc/touchstone/kafka/ca.crt}
{{- end }}
{{- if and .Values.kafka.tls.enabled .Values.kafka.tls.client }}
- {name: TOUCHSTONE_KAFKA_CERTIFICATE, value: /etc/touchstone/kafka/client.crt}
- {name: TOUCHSTONE_KAFKA_KEY, value: /etc/touchstone/kafka/client.key}
{{- end }}
{{- end }}

{{/* Variables of a service's container; of a name that is given twice the last counts, as the API takes each name once. */}}
{{- define "touchstone.variables" -}}
{{- $root := .root }}{{- $name := .name }}{{- $service := .service }}{{- $executor := .executor }}{{- $claims := .claims }}
{{- if $service.pagesOnly }}
- name: TOUCHSTONE_STATE_DIR
  value: /var/lib/touchstone
{{- if $root.Values.web.secret }}
- name: TOUCHSTONE_WEB_TOKEN
  valueFrom:
    secretKeyRef: {name: {{ $root.Values.web.secret }}, key: token}
{{- end }}
{{- else }}
- name: TOUCHSTONE_DATABASE_URL
  valueFrom:
    {{- include "touchstone.databaseKey" (dict "name" $name "root" $root "service" $service) | nindent 4 }}
{{- end }}
{{- if and $root.Values.llm.secret (not (or $executor $service.pagesOnly)) }}
- name: TOUCHSTONE_LLM_API_KEY
  valueFrom:
    secretKeyRef: {name: {{ $root.Values.llm.secret }}, key: key}
{{- end }}
{{- $blobs := include "touchstone.blobs" $root | fromYaml }}
{{- if and $blobs.secret (not $service.pagesOnly) }}
- name: AWS_ACCESS_KEY_ID
  valueFrom:
    secretKeyRef: {name: {{ $blobs.secret }}, key: access-key}
- name: AWS_SECRET_ACCESS_KEY
  valueFrom:
    secretKeyRef: {name: {{ $blobs.secret }}, key: secret-key}
{{- end }}
{{- if not (or $root.Values.demo.enabled $service.pagesOnly) }}
{{- include "touchstone.kafkaVariables" $root }}
{{- end }}
{{- if $root.Values.doors.tokens }}
- {name: TOUCHSTONE_TOKENS_FILE, value: /etc/touchstone/tokens/tokens.json}
- {name: TOUCHSTONE_TOKEN_FILE, value: /etc/touchstone/tokens/{{ empty $service.pagesOnly | ternary "service" "pages" }}}
{{- end }}
{{- if $root.Values.doors.tls }}
- {name: TOUCHSTONE_TLS_CERTIFICATE, value: /etc/touchstone/tls/tls.crt}
- {name: TOUCHSTONE_TLS_KEY, value: /etc/touchstone/tls/tls.key}
- {name: TOUCHSTONE_TLS_CA, value: /etc/touchstone/tls/ca.crt}
{{- end }}
{{- if $executor }}
# A session lives in one replica: its id says in which.
- name: POD_IP
  valueFrom:
    fieldRef: {fieldPath: status.podIP}
- {name: TOUCHSTONE_SANDBOX_REPLICA_ADDRESS, value: "$(POD_IP):7100"}
{{- end }}
{{- if $claims }}
- {name: TOUCHSTONE_SANDBOX_BACKEND, value: pods}
- {name: TOUCHSTONE_SANDBOX_BACKENDS, value: pods}
- {name: TOUCHSTONE_SANDBOX_RUNNERS_NAMESPACE, value: {{ include "touchstone.runnerNamespace" $root }}}
- {name: TOUCHSTONE_SANDBOX_RUNNERS_SELECTOR, value: "app.kubernetes.io/name=sandbox-runner,app.kubernetes.io/instance={{ $root.Release.Name }}"}
- name: TOUCHSTONE_SANDBOX_POD_UID
  valueFrom:
    fieldRef: {fieldPath: metadata.uid}
{{- end }}
{{- range $key, $value := $service.settings }}
- name: {{ $key }}
  value: {{ $value | quote }}
{{- end }}
{{- with $service.extraEnv }}
{{- toYaml . | nindent 0 }}
{{- end }}
{{- end }}

{{- define "touchstone.env" -}}
{{- include "touchstone.lastOfEach" (include "touchstone.variables" . | fromYamlArray) }}
{{- end }}

{{/* A list of variables without those that a later one of the same name stands for. */}}
{{- define "touchstone.lastOfEach" -}}
{{- $seen := dict }}{{- $kept := list }}
{{- range . | reverse }}
{{- if not (hasKey $seen .name) }}
{{- $_ := set $seen .name true }}{{- $kept = prepend $kept . }}
{{- end }}
{{- end }}
{{- toYaml $kept }}
{{- end }}

{{/* The text of one setting of a service as its process finds it: from `extraEnv`, its own settings, those of all; or "". */}}
{{- define "touchstone.setting" -}}
{{- $name := .name }}{{- $found := "" }}
{{- if hasKey (.service.settings | default dict) $name }}{{- $found = index .service.settings $name }}
{{- else if hasKey .root.Values.settings $name }}{{- $found = index .root.Values.settings $name }}{{- end }}
{{- range .service.extraEnv }}{{- if eq .name $name }}{{- $found = .value | default "" }}{{- end }}{{- end }}
{{- $found }}
{{- end }}

{{/* The volumes that a job of a service shares with its pods: how its servers are reached and trusted. A claim may belong
to one node, on which the job may not run; what lies in it (models, sources) is for the service alone. */}}
{{- define "touchstone.jobVolumes" -}}
{{- $kept := list }}
{{- range .extraVolumes }}
{{- if not .persistentVolumeClaim }}{{- $kept = append $kept . }}{{- end }}
{{- end }}
{{- with $kept }}{{ toYaml . }}{{- end }}
{{- end }}

{{- define "touchstone.jobMounts" -}}
{{- $names := list }}{{- $kept := list }}
{{- range include "touchstone.jobVolumes" . | fromYamlArray }}{{- $names = append $names .name }}{{- end }}
{{- range .extraVolumeMounts }}
{{- if has .name $names }}{{- $kept = append $kept . }}{{- end }}
{{- end }}
{{- with $kept }}{{ toYaml . }}{{- end }}
{{- end }}
