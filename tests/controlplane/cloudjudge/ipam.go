package main

import (
	"context"
	"errors"
	"net"
	"strings"

	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/app"
	"k8s.io/cloud-provider/app/config"
	cliflag "k8s.io/component-base/cli/flag"
	genericapp "k8s.io/controller-manager/app"
	"k8s.io/controller-manager/controller"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app/options"
	kcmnames "k8s.io/kubernetes/cmd/kube-controller-manager/names"
	"k8s.io/kubernetes/pkg/controller/nodeipam"
	nodeipamconfig "k8s.io/kubernetes/pkg/controller/nodeipam/config"
	"k8s.io/kubernetes/pkg/controller/nodeipam/ipam"
	netutils "k8s.io/utils/net"
)

// rangeGiver hosts upstream's node-ipam-controller, as the reference cloud-controller-manager does.
type rangeGiver struct {
	flags    options.NodeIPAMControllerOptions
	settings nodeipamconfig.NodeIPAMControllerConfiguration
}

// addRangeGiver registers the controller with its alias, and returns its flags.
func addRangeGiver(initializers map[string]app.ControllerInitFuncConstructor, aliases map[string]string) cliflag.NamedFlagSets {
	giver := &rangeGiver{flags: options.NodeIPAMControllerOptions{
		NodeIPAMControllerConfiguration: &nodeipamconfig.NodeIPAMControllerConfiguration{},
	}}
	var flags cliflag.NamedFlagSets
	giver.flags.AddFlags(flags.FlagSet(kcmnames.NodeIpamController))
	initializers[kcmnames.NodeIpamController] = app.ControllerInitFuncConstructor{
		InitContext: app.ControllerInitContext{ClientName: "node-controller"},
		Constructor: giver.construct,
	}
	aliases["nodeipam"] = kcmnames.NodeIpamController
	return flags
}

func (g *rangeGiver) construct(init app.ControllerInitContext, completed *config.CompletedConfig, cloud cloudprovider.Interface) app.InitFunc {
	return func(ctx context.Context, in genericapp.ControllerContext) (controller.Interface, bool, error) {
		shared := completed.ComponentConfig.KubeCloudShared
		if !shared.AllocateNodeCIDRs {
			return nil, false, nil
		}
		if err := errors.Join(append(g.flags.Validate(), g.flags.ApplyTo(&g.settings))...); err != nil {
			return nil, false, err
		}
		cluster, err := netutils.ParseCIDRs(strings.Split(shared.ClusterCIDR, ","))
		if err != nil {
			return nil, false, err
		}
		made, err := nodeipam.NewNodeIpamController(
			ctx, in.InformerFactory.Core().V1().Nodes(), cloud, in.ClientBuilder.ClientOrDie(init.ClientName),
			cluster, rangeOf(g.settings.ServiceCIDR), rangeOf(g.settings.SecondaryServiceCIDR), g.masks(cluster),
			ipam.CIDRAllocatorType(shared.CIDRAllocatorType),
		)
		if err != nil {
			return nil, false, err
		}
		go made.Run(ctx)
		return nil, true, nil
	}
}

// masks are how long the ranges of nodes are, by the family of what they are taken from.
func (g *rangeGiver) masks(cluster []*net.IPNet) []int {
	sizes := make([]int, 0, len(cluster))
	for _, each := range cluster {
		size, given := 24, g.settings.NodeCIDRMaskSizeIPv4
		if netutils.IsIPv6CIDR(each) {
			size, given = 64, g.settings.NodeCIDRMaskSizeIPv6
		}
		for _, flag := range []int32{g.settings.NodeCIDRMaskSize, given} {
			if flag != 0 {
				size = int(flag)
			}
		}
		sizes = append(sizes, size)
	}
	return sizes
}

// rangeOf is nil where there is none.
func rangeOf(text string) *net.IPNet {
	_, parsed, err := netutils.ParseCIDRSloppy(text)
	if err != nil {
		return nil
	}
	return parsed
}
