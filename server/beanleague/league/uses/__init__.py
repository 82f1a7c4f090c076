"""Use cases: values in, values out, independent of gRPC, from which `beanleague.service` translates."""
