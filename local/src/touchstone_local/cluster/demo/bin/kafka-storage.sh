#!/bin/sh
exec /opt/java/bin/java ${KAFKA_HEAP_OPTS:-} -XX:+UseSerialGC -XX:+ExitOnOutOfMemoryError -XX:-UsePerfData -Djava.awt.headless=true \
  -cp '/opt/kafka/libs/*' kafka.tools.StorageTool "$@"
