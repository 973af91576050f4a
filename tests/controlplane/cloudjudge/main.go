// Program cloudjudge is a cloud-controller-manager made of upstream's framework, for a cloud that is elsewhere: it asks for everything
// at an endpoint that speaks the protocol of kubeloop's provider `webhook`. Both managers then ask the same cloud.
package main

import (
	"os"

	"k8s.io/apimachinery/pkg/util/wait"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/app"
	"k8s.io/cloud-provider/app/config"
	"k8s.io/cloud-provider/names"
	"k8s.io/cloud-provider/options"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/klog/v2"
)

func main() {
	opts, err := options.NewCloudControllerManagerOptions()
	if err != nil {
		klog.Fatalf("unable to initialize command options: %v", err)
	}
	aliases := names.CCMControllerAliases()
	flags := addRangeGiver(app.DefaultInitFuncConstructors, aliases)
	command := app.NewCloudControllerManagerCommand(
		opts, openCloud, app.DefaultInitFuncConstructors, aliases, flags, wait.NeverStop,
	)
	os.Exit(cli.Run(command))
}

func openCloud(completed *config.CompletedConfig) cloudprovider.Interface {
	given := completed.ComponentConfig.KubeCloudShared.CloudProvider
	cloud, err := cloudprovider.InitCloudProvider(given.Name, given.CloudConfigFile)
	if err != nil {
		klog.Fatalf("Cloud provider could not be initialized: %v", err)
	}
	if cloud == nil {
		klog.Fatalf("Cloud provider is nil")
	}
	return cloud
}
