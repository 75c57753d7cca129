"""What several test modules share: short ways to build records, engines and generated inputs."""
