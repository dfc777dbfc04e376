"""The domain of the product by subject: a web app that sells contact details."""
