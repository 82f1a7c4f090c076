#!/bin/sh
# Build the bot and test it.
set -eu
cd "$(dirname "$0")"
./build.sh
java -cp "bot.jar:$(cat jars)" BotTest
