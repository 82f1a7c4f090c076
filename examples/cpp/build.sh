#!/bin/sh
# Build the bot, on Debian and Ubuntu with: apt-get install g++ pkg-config libgrpc++-dev libprotobuf-dev protobuf-compiler-grpc
set -eu
cd "$(dirname "$0")"
[ -e referee.proto ] || cp ../../proto/beanproto/v1/referee.proto .
mkdir -p generated
protoc --cpp_out=generated --grpc_out=generated --plugin=protoc-gen-grpc="$(command -v grpc_cpp_plugin)" referee.proto
c++ -std=c++17 -O1 -Igenerated -o bot bot.cpp generated/*.cc $(pkg-config --cflags --libs grpc++ protobuf)
