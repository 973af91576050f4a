module kubeloop.dev/tests/webhookprovider

go 1.26.0
