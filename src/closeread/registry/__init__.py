"""What has a name: found, made from options, and held to what its protocol promises."""
