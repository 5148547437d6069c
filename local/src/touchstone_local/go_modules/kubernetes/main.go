// Package main is a whole Kubernetes node but for its container runtime in one program: the first argument says which
// part of it runs, for example `kubernetes kubelet --config=…`. One program instead of seven is compiled and linked once,
// lies on the disk once, and its pages are in memory once.
package main

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strings"
	_ "time/tzdata"

	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/forward"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/ready"
	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

var parts = map[string]func(){
	"apiserver":          func() { serve(apiserver.NewAPIServerCommand()) },
	"controller-manager": func() { serve(controllers.NewControllerManagerCommand()) },
	"scheduler":          func() { serve(scheduler.NewSchedulerCommand()) },
	"kubelet":            func() { serve(kubelet.NewKubeletCommand(context.Background())) },
	"proxy":              func() { serve(proxy.NewProxyCommand()) },
	"etcd":               func() { etcdmain.Main(os.Args) },
	"dns":                coremain.Run,
}

func init() {
	// The order in which a question passes the plugins.
	dnsserver.Directives = []string{"ready", "errors", "cache", "kubernetes", "forward"}
}

func serve(command *cobra.Command) {
	os.Exit(cli.Run(command))
}

func main() {
	if len(os.Args) > 1 {
		if run, known := parts[os.Args[1]]; known {
			os.Args = append([]string{os.Args[1]}, os.Args[2:]...)
			run()
			return
		}
	}
	names := make([]string, 0, len(parts))
	for name := range parts {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Fprintf(os.Stderr, "usage: kubernetes %s [options]\n", strings.Join(names, " | "))
	os.Exit(2)
}
