#!/bin/sh
# In the place of python: answers the protocol with garbage.
printf 'this is no frame, it is garbage of more than a header' >&3
sleep 60
