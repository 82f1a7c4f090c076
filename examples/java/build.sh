#!/bin/sh
# Build the bot, on Debian and Ubuntu with:
#   apt-get install default-jdk-headless libgrpc-java libnetty-java libguava-java libprotobuf-java libperfmark-java libgeronimo-annotation-1.3-spec-java
#   apt-get install protobuf-compiler protobuf-compiler-grpc-java-plugin
set -eu
cd "$(dirname "$0")"
[ -e referee.proto ] || cp ../../proto/beanproto/v1/referee.proto .
jars=$(cat jars):/usr/share/java/geronimo-annotation-1.3-spec.jar
rm -rf generated classes
mkdir generated classes
protoc --java_out=generated --grpc_out=generated --plugin=protoc-gen-grpc="$(command -v grpc_java_plugin)" referee.proto
javac -nowarn -proc:none -encoding UTF-8 -cp "$jars" -d classes ./*.java $(find generated -name '*.java')
jar --create --file bot.jar -C classes .
